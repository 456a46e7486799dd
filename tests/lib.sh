# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What do the tests in virtual machines share? Sourced: the TAP functions of tap.sh,
# the guests of vm/lib.sh, and
#
#   guest_start NAME [OPTION]...     vm_start with the agent in the guest
#   guest_end NAME                   one result: it powers off and its console is clean
#   record_begun                     wait until a recording has begun: relays are at work
#
# A test file stops by itself when its guest can't be had: || exit.

tests_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tools/virtio/virtio-trace/tests/tap.sh
. "$tests_here/../tools/virtio/virtio-trace/tests/tap.sh"
# shellcheck source=vm/lib.sh
. "$tests_here/../vm/lib.sh"
trap 'vm_cleanup; rm -rf "$tmp"' EXIT

guest_start()
{
	local name=$1
	shift
	# shellcheck disable=SC2154
	vm_start "$name" --file "$agent" "$@"
}

guest_end()
{
	vm_use "$1"
	vm_stop
	ok $? "$1: the guest ends well"
}

record_begun()
{
	vm_run 'for i in $(seq 150); do
			ls -l /proc/$(pidof trace-agent)/fd 2> /dev/null | grep -q trace_pipe_raw && exit 0
			sleep 0.1
		done; exit 1'
}
