# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How do the pinned sources become a git tree? Only files that the series changes are in its index.
#
# Sourced by scripts/series and scripts/check-series. PATCHES says where the parts are.

series_git()
{
	(
		cd "$series_tree" || exit
		unset GIT_INDEX_FILE
		export GIT_DIR=$series_dir GIT_WORK_TREE=$series_tree
		export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
		exec git -c user.name=virtio-trace -c user.email=virtio-trace@localhost \
			-c core.autocrlf=false -c gc.auto=0 "$@"
	)
}

# The version of the sources that the parts are for.
series_version()
{
	sed -n 's/^linux-source-\([0-9.]*\) .*/\1/p' "$PATCHES/base"
}

# The parts of the series, in its order, without the cover letter.
series_parts()
{
	find "$PATCHES" -name '[0-9]*.patch' -o -name '[0-9]*.owned' | grep -v '/0000-' | sort
}

# Files and directories of the kernel, below $1, that the parts touch or replace.
series_paths()
{
	local parts path
	mapfile -t parts < <(series_parts)

	awk 'FNR == 1 { head = 1 }
		/^$/ { head = 0 }
		head && sub(/^Remove: */, "") { print }
		/^diff --git a/ { sub(/^a\//, "", $3); print $3 }
		END { print "MAINTAINERS" }' "${parts[@]}" | sort -u | while read -r path; do
		[ ! -e "$1/$path" ] || echo "$path"
	done
}

# Copies those files from a tree of the kernel's, for who needs no more of it.
series_import()
{
	local plain=$1 to=$2

	mkdir "$to"
	(cd "$plain" && series_paths . | xargs cp -r --parents -t "$to")
}

# Makes the branch "series", beginning with those files as they are in a tree of the kernel's.
series_begin()
{
	local paths

	series_dir=$1
	series_tree=$2
	git init -q --bare -b series "$series_dir"
	git --git-dir="$series_dir" config core.bare false
	mapfile -t paths < <(series_paths "$series_tree")
	series_git add -f -- "${paths[@]}"
	GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \
		series_git commit -q -m "$(grep -v '^#' "$PATCHES/base")"
	series_git branch base
}
