#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a busy guest go on being recorded, within its bounds, and does every event add up?
#
# SOAK_SECONDS is how long (20). kmem events are made by the agent's own splices, too.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

seconds=${SOAK_SECONDS:-20}
export VIRTIO_TRACE_DIR=$vm_tmp

agent_kib()
{
	vm_run 'awk "/RssAnon/ { print \$2 }" /proc/$(pidof trace-agent)/status'
}

soak()
{
	local kernel=$1 dat=$tmp/soak.dat recorder status peak
	guest_start "$kernel" --kernel "$kernel" --cpus 2 --timeout $((seconds + 300)) ||
		{ ok 1 "$kernel boots"; return; }
	vm_run 'trace-agent --daemon
		(while :; do cat /proc/stat /proc/meminfo > /dev/null; done) > /dev/null 2>&1 &'
	"$host" record "$vm_name" -q -o "$dat" -e sched -e timer -e kmem -b 4M \
		--duration "${seconds}s" > "$tmp/ledger" 2>&1 &
	recorder=$!
	sleep $((seconds / 2))
	peak=$(awk '/VmHWM/ { print $2 }' /proc/$recorder/status)
	[ "$(agent_kib)" -le 1024 ]
	ok $? "$kernel: the agent needs no more than 1 MiB of its own" || diag "$(agent_kib) KiB"
	wait $recorder
	status=$?
	is $status 0 "$kernel: after $seconds s every event is accounted for" || cat "$tmp/ledger"
	[ "$peak" -le 65536 ]
	ok $? "$kernel: record needs no more than 64 MiB" || diag "$peak KiB"
	is "$(trace-cmd report -i "$dat" 2> /dev/null | grep -c '\] *[0-9.]*: ')" \
		"$("$host" report -i "$dat" --stat | sed -n 's/^cpu.* events=\([0-9]*\) .*/\1/p' |
			awk '{ n += $1 } END { print n }')" "$kernel: trace-cmd finds them all"
	diag "$(grep '^ *all' "$tmp/ledger")"
	guest_end "$kernel"
	rm -f "$dat"
}

for kernel in ${SOAK_KERNELS:-stock-6.12 stock-6.1}; do
	soak "$kernel"
done
tap_done
