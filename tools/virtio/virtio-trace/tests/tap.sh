# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The Test Anything Protocol for tests of whole programs. Sourced; the functions are
#
#   ok STATUS NAME           0 passes: ok $? "it starts"
#   is GOT WANT NAME         two texts that must be equal
#   like TEXT REGEX NAME     an extended regular expression that must match
#   skip NAME REASON         not run here, and why
#   skip_all REASON          nothing of this file can run here; ends it
#   diag TEXT                a remark
#   tap_done                 the plan; last in the file, its status is the file's
#
# $agent and $host are the programs (TRACE_AGENT and VIRTIO_TRACE name other
# builds), $tmp is a directory that goes away with the script.

tap_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)
export BUILD="${BUILD:-$tap_root/build}"
# shellcheck disable=SC2034
agent=${TRACE_AGENT:-$BUILD/agent/trace-agent} host=${VIRTIO_TRACE:-$BUILD/host/virtio-trace}

tap_count=0
tap_failed=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/vt.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 143' TERM INT HUP PIPE

diag()
{
	printf '%s\n' "$*" | sed 's/^/#   /'
}

# The first caller outside this file.
tap_where()
{
	local i

	for i in "${!BASH_SOURCE[@]}"; do
		[ "${BASH_SOURCE[i]}" = "${BASH_SOURCE[0]}" ] || break
	done
	echo "$(basename "${BASH_SOURCE[i]}"):${BASH_LINENO[i - 1]}"
}

ok()
{
	local status=$1
	shift

	tap_count=$((tap_count + 1))
	if [ "$status" = 0 ]; then
		echo "ok $tap_count - $*"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $*"
	diag "status $status, at $(tap_where)"
	return 1
}

is()
{
	[ "$1" = "$2" ]
	ok $? "$3" || { diag "got:  $1"; diag "want: $2"; return 1; }
}

like()
{
	[[ $1 =~ $2 ]]
	ok $? "$3" || { diag "got:  $1"; diag "want: $2"; return 1; }
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all()
{
	echo "1..0 # SKIP $*"
	exit 0
}

tap_done()
{
	echo "1..$tap_count"
	[ $tap_failed = 0 ]
}
