#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Are sub-buffers spliced from the ring buffer of our patched kernel what they should be?
#
# Runs the selftest of the ring buffer, every test at every size of sub-buffers, in one guest.
# KERNEL names another kernel or image: debug-6.12 for what KASAN, lockdep, kmemleak and the
# injection of faults say. On a stock one some of it fails, and the kernel falls:
# bench/defects-tracing shows how.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/ring-lib.sh
. "$tests_here/ring-lib.sh"

kernel=${KERNEL:-patched-6.12}

declare -A shows=(
	[content]="every record is there, in order"
	[rmdir]="K2: pages in a pipe outlive their instance"
	[tee]="tee() makes a second copy"
	[file]="a file gets what the ring buffer had"
	[steal]="FUSE does"
	[tee_then_steal]="what was teed is not stolen"
	[socket_then_steal]="what a socket has is not stolen"
	[pages_are_stolen]="FUSE gets the pages themselves"
	[stats_after_resize]="a change of the size leaves no phantom entries"
	[poll_after_resize]="nor does it make poll() miss anything"
	[offline_cpu]="what a CPU recorded can be had when it is offline"
	[map_after_swap]="user space maps no old content of pages"
	[map_while_swapping]="a page that is mapped is not swapped out"
	[allocation_fails]="whichever allocation fails, nothing is lost"
)

results()
{
	local name size result

	while read -r name size result; do
		case $result-$name in
		skip-pages_are_stolen) diag "$size: FUSE can take single pages only" ;;
		# Of all sizes or none
		skip-allocation_fails) ;;
		*)
			[ "$result" = pass ]
			ok $? "$size: ${shows[$name]}" ;;
		esac
	done
}

ring_build || exit
ring_start ring "$kernel" --timeout 1000 || exit
ring_run 900 > "$tmp/results"
results < "$tmp/results"
! grep -q 'allocation_fails .*skip' "$tmp/results" ||
	skip "${shows[allocation_fails]}" "the kernel injects no faults: KERNEL=debug-6.12 does"
is "$(wc -l < "$tmp/results")" $((4 * ${#shows[@]})) "every test came to an end"
is "$(vm_leaks)" "" "nothing leaked"
guest_end ring
tap_done
