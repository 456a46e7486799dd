# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Where are the pinned kernel sources? Unpacked once from the package source-6.12 of the table.
#
# Sourced, after vm/debs.sh, by what wants all of them. The caller has set BUILD.

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

# Prints the directory. Its files are shared by hard links: replace them, don't write to them.
sources_plain()
{
	local tree=$BUILD/kernels/tree-plain row
	read -ra row <<< "$(debs_row source-6.12)"

	mkdir -p "$BUILD/kernels"
	(
		flock 9
		[ "$(cat "$tree.row" 2> /dev/null)" = "${row[*]}" ] ||
			sources_make "$tree" "${row[@]}"
	) 9> "$tree.lock" || return
	echo "$tree"
}
