# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How does a Debian package come here, pinned and verified, without being installed?
#
# Sourced by what reads vm/kernels.table. The caller has set BUILD.

debs_table=$(dirname "${BASH_SOURCE[0]}")/kernels.table
debs_apt=()

# The table's line for a name, its columns in order.
debs_row()
{
	awk -v name="$1" '$1 == name' "$debs_table"
}

# From now on use lists of our own, fetched now: the system's are missing or
# stale, and only root could renew them.
debs_update()
{
	local dir=$BUILD/kernels/apt

	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	debs_apt=(-o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir")
	echo "kernels: fetching the package lists" >&2
	flock "$dir/lock" \
		apt-get "${debs_apt[@]}" -o APT::Sandbox::User=root -q update > "$dir/log" 2>&1 ||
		{ tail -n 5 "$dir/log" >&2; return 1; }
}

debs_download()
{
	apt-get "${debs_apt[@]}" -o APT::Sandbox::User=root -q download "$1" > apt.log 2>&1
}

debs_newest()
{
	apt-cache "${debs_apt[@]}" pkgnames | grep -xE "$1" | sort -V | tail -n 1
}

# Downloads the pinned version, or else the newest of its series (which apt
# itself verifies), into the current directory.
debs_fetch()
{
	local package=$1 version=$2 sha256=$3 series=$4 newest

	if debs_download "$package=$version" ||
	   { debs_update && debs_download "$package=$version"; }; then
		echo "$sha256 $(echo ./*.deb)" | sha256sum --check --quiet >&2
		return
	fi
	newest=$(debs_newest "$series" || true)
	if [ -z "$newest" ]; then
		echo "kernels: apt knows no package $package, nor another of its series:" \
			"is bookworm-security among its sources?" >&2
		return 1
	fi
	echo "kernels: $package $version has left the archive, taking $newest" >&2
	debs_download "$newest" || { cat apt.log >&2; return 1; }
}
