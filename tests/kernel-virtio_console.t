#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Are the defects of splicing into virtio ports gone with our patches?
#
# Runs the selftest of virtio_console on the patched kernel (make kernel), with indirect
# descriptors and without. KERNEL names another kernel or image; on a stock one most of
# it fails, and hangs: bench/defects-virtio_console shows how.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/echo-lib.sh
. "$tests_here/echo-lib.sh"

kernel=${KERNEL:-$BUILD/kernels/patched-6.12/vmlinuz}

declare -A shows=(
	[short]="K1, K12: every length of a splice is sent as it is"
	[full]="K4: what a full queue refuses stays in the pipe"
	[chain]="K5: no chain is longer than the queue"
	[empty]="K9: an empty pipe is waited for, or EAGAIN, or the end"
	[odd]="K12: an odd length does not shift what follows"
	[subbuf]="K12: sub-buffers of 64 KiB go out whole"
	[writers]="K13, K15: two writers lose, mix and miscount nothing"
	[locked]="K6: the pipe can be used while its splice waits for the host"
	[absent]="K4: what an absent host can't take stays in the pipe"
	[bound]="K8: a host that does not read gets a bounded amount"
	[suspend]="K6: a task that waits for the host does not hinder suspend"
	[resume]="K7: a port that was full can be written after resume"
	[unbind]="K3: an unplugged device is not touched"
	[dead]="K14: a dead device does not hang who closes its port"
)

# The guest's lines become ours.
results()
{
	local what=$1 verdict name rest
	shift

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
	is "$(grep -c '^\(not \)\?ok' "$tmp/tap")" $# "$what: every test came to an end"
}

guest_run()
{
	local what=$1 device=$2
	shift 2

	echo_start "${what// /-}" "$kernel" "$device" || { ok 1 "$what: the guest comes up"; return; }
	results "$what" "$@"
	echo_stop
	ok $? "$what: the guest ends well, its console is clean"
}

[ -e "$kernel" ] || [ -n "${KERNEL:-}" ] || skip_all "no patched kernel: make kernel builds it"
echo_build || exit
guest_run "indirect descriptors" "" short full chain empty odd subbuf writers locked absent \
	bound suspend resume unbind dead
guest_run "direct descriptors" indirect_desc=off short full chain odd subbuf writers locked \
	bound resume unbind dead
tap_done
