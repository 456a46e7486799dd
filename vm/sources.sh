# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Where are the pinned kernel sources? Unpacked once from the package source-VERSION of the table.
#
# Sourced, after vm/debs.sh, by what wants all of them. The caller has set BUILD.

# The directory for a tree, plain or patched, of a version. What is built from a tree remembers
# where it was, so that of 6.12 keeps the name it had when there was no other.
sources_tree()
{
	case $2 in
	6.12) echo "$BUILD/kernels/tree-$1" ;;
	*) echo "$BUILD/kernels/tree-$1-$2" ;;
	esac
}

# The fragments that a kernel of a version is configured by.
sources_config()
{
	local dir own
	dir=$(dirname "${BASH_SOURCE[0]}")/config
	own=$dir/guest-$1.config

	echo "$dir/guest.config"
	[ ! -f "$own" ] || echo "$own"
}

sources_unpack()
{
	local tree=$1
	shift

	debs_fetch "$@"
	mkdir "$tree"
	dpkg-deb --fsys-tarfile ./*.deb | tar -xO --wildcards '*.tar.xz' |
		tar -xJ --strip-components=1 -C "$tree"
}

sources_make()
{
	local tree=$1 work
	shift

	echo "sources: fetching $2 $3" >&2
	work=$(mktemp -d "$tree.XXXXXX")
	(cd "$work" && sources_unpack tree "${@:2}") || { rm -rf "$work"; return 1; }
	rm -rf "$tree"
	mv "$work/tree" "$tree"
	rm -rf "$work"
	echo "$*" > "$tree.row"
}

# Prints the directory of a version. Its files are shared by hard links: replace them, don't
# write to them.
sources_plain()
{
	local version=$1 tree row
	tree=$(sources_tree plain "$version")
	read -ra row <<< "$(debs_row "source-$version")"

	mkdir -p "$BUILD/kernels"
	(
		flock 9
		[ "$(cat "$tree.row" 2> /dev/null)" = "${row[*]}" ] ||
			sources_make "$tree" "${row[@]}"
	) 9> "$tree.lock" || return
	echo "$tree"
}
