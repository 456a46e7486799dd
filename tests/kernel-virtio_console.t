#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Are the defects of splicing into virtio ports gone with our patches?
#
# Runs the selftest of virtio_console on the patched kernel (make kernel), with indirect
# descriptors and without. KERNEL names another kernel of vm/kernels, or an image; on a stock one
# most of it fails, and hangs: bench/defects-virtio_console shows how. With KERNEL=debug-6.12 it
# runs once more while allocations fail, and memory that was lost is looked for.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/echo-lib.sh
. "$tests_here/echo-lib.sh"

kernel=${KERNEL:-patched-6.12}

declare -A shows=(
	[short]="K1, K12: every length of a splice is sent as it is"
	[full]="K4: what a full queue refuses stays in the pipe"
	[chain]="K5: no chain is longer than the queue"
	[empty]="K9: an empty pipe is waited for, or EAGAIN, or the end"
	[odd]="K12: an odd length does not shift what follows"
	[subbuf]="K12: sub-buffers of 64 KiB go out whole"
	[partial]="K10: a page that is sent in part stays in its file and in the pipe"
	[cached]="K11: a file that is sent stays in the page cache"
	[memory]="whichever allocation fails, nothing is lost"
	[writers]="K13, K15: several writers lose, mix and miscount nothing"
	[shared]="K13: what two tasks take from one pipe stays in order"
	[locked]="K6: the pipe can be used while its splice waits for the host"
	[slow]="a host that takes a little at a time gets all, in order"
	[woken]="a splice that waits goes on when the host reads"
	[absent]="K4: what an absent host can't take stays in the pipe"
	[return]="a host that was away gets all that is accepted when it is back"
	[bound]="K8: a host that does not read gets a bounded amount, and others go on"
	[packets]="K8: pages with a byte each are bounded, too"
	[suspend]="K6: a task that waits for the host does not hinder suspend"
	[resume]="K7: a port that was full can be written after resume"
	[unbind]="K3: an unplugged device is not touched"
	[unplug]="a task that waits for the host is told when the device is unplugged"
	[dead]="K14: a dead device does not hang who closes its port"
)

sends=(short full chain odd subbuf partial cached writers shared slow woken return bound
       packets)

# The guest's lines become ours.
results()
{
	local what=$1 nr=$2 verdict name rest
	shift 2

	echo_run "$@" > "$tmp/tap"
	# Lines that say nothing of a test are remarks.
	while read -r verdict rest; do
		case $verdict in
		ok|not) name=${rest##*[0-9] } ;;
		'#') diag "$rest"; continue ;;
		*) continue ;;
		esac
		if [ "${name%% # SKIP}" != "$name" ]; then
			skip "$what: ${shows[${name%% # SKIP}]}" "the kernel lacks what it needs"
		else
			[ "$verdict" = ok ]
			ok $? "$what: ${shows[$name]}"
		fi
	done < "$tmp/tap"
	is "$(grep -c '^\(not \)\?ok' "$tmp/tap")" "$nr" "$what: every test came to an end"
}

guest_run()
{
	local what=$1 device=$2
	shift 2

	echo_start "${what// /-}" "$kernel" "$device" || { ok 1 "$what: the guest comes up"; return; }
	results "$what" $# "$@"
	if echo_faults; then
		results "$what" 1 memory
		results "$what, allocations fail" ${#sends[@]} -f 10 "${sends[@]}"
		is "$(vm_leaks)" "" "$what: no memory is lost"
	else
		skip "$what: ${shows[memory]}" "the kernel injects no faults: KERNEL=debug-6.12 does"
	fi
	echo_stop
	ok $? "$what: the guest ends well, its console is clean"
}

echo_build || exit
guest_run "indirect descriptors" "" "${sends[@]}" empty locked absent suspend resume \
	unbind unplug dead
guest_run "direct descriptors" indirect_desc=off "${sends[@]}" locked resume unbind \
	unplug dead
tap_done
