#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does every event arrive, once and in order, whatever the sizes, CPUs, kernel and orders?
#
# Sequence-numbered markers are written on every CPU of a guest while the host reads
# with cat, as in 2012. Each run starts and stops in the middle of a burst.
# RELAY_GUESTS narrows the guests down, e.g. RELAY_GUESTS="stock-6.12:2".
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/relay-lib.sh
. "$tests_here/relay-lib.sh"

guests=${RELAY_GUESTS:-stock-6.12:1 stock-6.12:2 stock-6.12:8 stock-6.1:1 stock-6.1:2 stock-6.1:8}

# A burst of markers on all CPUs; while it goes on: start, stop, start at once, stop.
burst()
{
	local cpus=$1 count=$2

	vm_run "(marker $tracing/trace_marker $cpus 0 $count 10000 200; echo \$? > /tmp/done) \
		> /tmp/marker.log 2>&1 &"
	order 1
	sleep 0.3
	order 0
	order 1
	sleep 0.3
	printf '0\n1\n' > "$(vm_dir)/agent-ctl-path.in"
	vm_run 'until [ -s /tmp/done ]; do sleep 0.1; done
		cat /tmp/marker.log; read status < /tmp/done; rm /tmp/done; exit $status'
	order 0
	ports_quiet
}

run_sizes()
{
	local cpus=$1 subbuf_kib=$2 pipe=$3 count=$4 what
	what="$vm_name: $subbuf_kib KiB sub-buffers, pipe $pipe"

	if ! vm_run "echo 0 > $tracing/tracing_on; echo > $tracing/trace
		if [ -e $tracing/buffer_subbuf_size_kb ]; then
			echo $subbuf_kib > $tracing/buffer_subbuf_size_kb
		fi
		echo 4096 > $tracing/buffer_size_kb; echo 1 > $tracing/tracing_on" ||
			! agent_start -s "$pipe"; then
		ok 1 "$what: set up"
		return
	fi
	ports_open "$cpus"
	burst "$cpus" "$count"
	ports_close
	markers_arrived $((subbuf_kib * 1024)) "$cpus" 0 "$count" > "$tmp/markers"
	ok $? "$what: every marker of $cpus CPUs, once, in order" || cat "$tmp/markers"
	agent_stop > "$tmp/agent.log"
	! grep -E 'lost: ([1-9]|0 .* [1-9]|.* [1-9][0-9]* with)' "$tmp/agent.log"
	ok $? "$what: the agent lost nothing" || cat "$tmp/agent.log"
	is "$(sed -n 's/.*: \([0-9]*\) bytes taken, .*/\1/p' "$tmp/agent.log" |
		awk '{ n += $1 } END { print n }')" "$(ports_bytes)" \
		"$what: as many bytes arrived as it took"
}

run_guest()
{
	local kernel=${1%:*} cpus=${1#*:} count=20000 subbuf_kib pipe

	[ "$cpus" -lt 8 ] || count=4000
	guest_start "$kernel-$cpus" --kernel "$kernel" --cpus "$cpus" \
		--file "$BUILD/tests/programs/marker" || { ok 1 "$1 boots"; return; }
	for subbuf_kib in 4 16 64; do
		[ $subbuf_kib = 4 ] || [ "$kernel" != stock-6.1 ] || continue
		for pipe in 64K 256K 1M; do
			run_sizes "$cpus" $subbuf_kib $pipe $count
		done
	done
	guest_end "$vm_name"
}

for guest in $guests; do
	run_guest "$guest"
done
tap_done
