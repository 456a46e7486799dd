#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does a kernel with our patches give the agent what they promise, and take nothing away?
#
# KERNEL names another one of vm/kernels: with plain-6.12 it must fail.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/relay-lib.sh
. "$tests_here/relay-lib.sh"

kernel=${KERNEL:-patched-6.12}
probe=$tracing/instances/probe
export VIRTIO_TRACE_DIR=$vm_tmp

# What a stalled port may hold, as patch 0031 has it, and the pipe before it; in KiB.
port_max=4096 pipe=1024 slack=1024

markers()
{
	vm_run -t 120 "marker $tracing/trace_marker 2 $1 $2"
}

# Every try to steal a page of a pipe goes to a ring of its own, not into what is recorded.
steals_begin()
{
	vm_run "mkdir $probe; echo 'r:steal generic_pipe_buf_try_steal ret=\$retval:u8' \
			> $tracing/kprobe_events && echo 1 > $probe/events/kprobes/steal/enable"
}

# Prints how many did succeed.
steals_end()
{
	vm_run "grep -c 'ret=1$' $probe/trace; echo 0 > $probe/events/kprobes/steal/enable
		rmdir $probe; echo > $tracing/kprobe_events"
}

# Sub-buffers of both CPUs that the agent took whole until now.
subbufs_whole()
{
	"$host" cat "$vm_name" /agent/stats | awk '
		{ for (i = 1; i <= NF; i++) {
			split($i, pair, "=")
			if (pair[1] == "ring_subbufs") n += pair[2]
			if (pair[1] == "partial") n -= pair[2] } }
		END { print n + 0 }'
}

# Begins to record into $dat; the relays are at work when it returns.
record_begin()
{
	"$host" record "$vm_name" -q --timeout 60s -o "$dat" --duration 600 "$@" > "$tmp/ledger" 2>&1 &
	recorder=$!
	record_begun
}

record_end()
{
	kill -INT "$recorder"
	wait "$recorder"
	is $? 0 "$1: every event is accounted for" || cat "$tmp/ledger"
}

# Of each CPU, markers FIRST to FIRST + COUNT - 1: once, in order, and no others.
markers_recorded()
{
	local cpu

	for cpu in 0 1; do
		"$host" report -i "$dat" --cpu $cpu | sed -n "s/.*seq $cpu \([0-9]*\)\$/\1/p" |
			cmp - <(seq "$1" $(($1 + $2 - 1))) || return 1
	done
}

test_zero_copy()
{
	local kib=$1 count=60000 whole stolen what="$1 KiB sub-buffers"
	dat=$tmp/markers.dat

	whole=$(subbufs_whole)
	steals_begin
	record_begin -b 8M --subbuf "${kib}K"
	markers 0 $count
	record_end "$what"
	stolen=$(steals_end)
	whole=$(($(subbufs_whole) - whole))
	markers_recorded 0 $count
	ok $? "$what: every marker once, in order"
	[ "$whole" -ge $((count * 2 * 32 / 1024 / kib / 2)) ] &&
		[ $((stolen * 100)) -ge $((whole * 95)) ]
	ok $? "$what: not copied, at least 95 % of those that are full" ||
		diag "$stolen of $whole"
}

# Free memory, and what the kernel keeps at hand for each CPU, which is as free.
mem_kib()
{
	vm_run "awk '\$1 == \"nr_free_pages\" || \$1 == \"count:\" { n += \$2 } END { print 4 * n }' \
		/proc/zoneinfo"
}

# Waits until no more than $2 KiB of $1 are missing; leaves in $missing what is.
mem_returns()
{
	for _ in $(seq 20); do
		missing=$(($1 - $(mem_kib)))
		[ "$missing" -gt "$2" ] || return 0
		sleep 0.5
	done
	return 1
}

# 48 MB on each CPU, much more than may wait for a host.
flood()
{
	vm_run -t 120 "for cpu in 0 1; do
			taskset \$((1 << cpu)) dd if=/dev/zero of=$tracing/trace_marker bs=4000 count=12000 \
				2> /dev/null &
		done; wait"
}

test_stalled_host()
{
	local level pinned missing bound=$((2 * (port_max + pipe) + slack))
	dat=$tmp/stalled.dat

	record_begin --subbuf keep
	markers 0 1000
	sleep 2
	level=$(mem_kib)
	kill -STOP "$recorder"
	flood
	ok $? "stalled host: who is traced goes on"
	vm_run 'for i in $(seq 200); do cat /proc/stat; done > /dev/null'
	ok $? "stalled host: and so does other work"
	pinned=$((level - $(mem_kib)))
	[ $pinned -le $bound ] && [ $pinned -ge $port_max ]
	ok $? "stalled host: no more memory waits for it than the bound" ||
		diag "$pinned KiB, bound $bound KiB"
	markers 1000 5000
	kill -CONT "$recorder"
	mem_returns "$level" $slack
	ok $? "stalled host: once it reads, memory is as before" || diag "$missing KiB less"
	record_end "stalled host"
	like "$(grep '^ *all' "$tmp/ledger")" "^ *all +[0-9]+ +[0-9]+ +[1-9]" \
		"stalled host: what the ring had no room for was overwritten, and counted"
	markers_recorded 0 6000
	ok $? "stalled host: what came before and last is there, once, in order"
}

# The host begins to read when the relays are stopped already, with a full queue.
test_late_host()
{
	local level missing

	agent_start -s ${pipe}K
	level=$(mem_kib)
	order 1
	flood
	order 0
	sleep 1
	missing=$((level - $(mem_kib)))
	[ $missing -ge $port_max ]
	ok $? "late host: what was sent waits" || diag "$missing KiB less"
	ports_open 2
	ports_quiet
	mem_returns "$level" $slack
	ok $? "late host: once it reads, memory is as before" || diag "$missing KiB less"
	ports_close
	agent_stop > /dev/null
}

# The device of CPU 1's port goes and comes, as in a hot-unplug.
device()
{
	vm_run "for port in /sys/class/virtio-ports/*; do
			[ \$(cat \$port/name) != trace-path-cpu1 ] || basename \$(readlink -f \$port/device)
		done"
}

driver()
{
	vm_run "echo $2 > /sys/bus/virtio/drivers/virtio_console/$1"
}

agent_said()
{
	vm_run "for i in \$(seq 80); do grep -q '$1' /tmp/agent.log && exit 0; sleep 0.1; done
		cat /tmp/agent.log; exit 1"
}

test_unplug()
{
	local dev
	dev=$(device)

	agent_start -s ${pipe}K
	ports_open 2
	order 1
	vm_run "(marker $tracing/trace_marker 2 0 40000; echo > /tmp/done) > /dev/null 2>&1 &"
	sleep 0.5
	driver unbind "$dev"
	ok $? "unplug: the driver lets go of the device while the agent ships to it"
	vm_run 'until [ -e /tmp/done ]; do sleep 0.1; done'
	agent_said 'cpu1: ship to trace-path-cpu1: No such device'
	ok $? "unplug: it is told"
	driver bind "$dev"
	agent_said 'cpu1: trace-path-cpu1 is back'
	ok $? "unplug: and that it is back"
	order 0
	ports_quiet
	order 1
	markers 40000 1000
	order 0
	ports_quiet
	ports_close
	markers_arrived 4096 1 0 41000 > "$tmp/out"
	ok $? "unplug: the other CPU's relay goes on" || cat "$tmp/out"
	agent_stop > "$tmp/agent.log"
	like "$(< "$tmp/agent.log")" "cpu0: .* lost: 0 in the queue, 0 by .*, 0 with the port" \
		"unplug: and loses nothing" || cat "$tmp/agent.log"
}

# With all that a port may hold in its queue.
test_unplug_stalled()
{
	local dev level missing
	dev=$(device)

	level=$(mem_kib)
	agent_start -s ${pipe}K
	order 1
	flood
	driver unbind "$dev"
	ok $? "unplug of a stalled port: goes on at once"
	agent_said 'cpu1: ship to trace-path-cpu1: No such device'
	ok $? "unplug of a stalled port: is told"
	mem_returns "$level" $((port_max + pipe + slack))
	ok $? "unplug of a stalled port: what it held is free" || diag "$missing KiB less"
	driver bind "$dev"
	agent_said 'cpu1: trace-path-cpu1 is back'
	ok $? "unplug of a stalled port: is back"
	ports_open 2
	order 0
	ports_quiet
	ports_close
	agent_stop > "$tmp/agent.log"
	like "$(< "$tmp/agent.log")" "cpu1: .* [1-9][0-9]* with the port" \
		"unplug of a stalled port: what was on its way is counted" || cat "$tmp/agent.log"
}

guest()
{
	local dir=$vm_tmp/$kernel

	mkdir -p "$dir"
	mkfifo "$dir/trace-path-cpu1.in" "$dir/trace-path-cpu1.out"
	guest_start "$kernel" --kernel "$kernel" --cpus 2 --trace-cpus 1 \
		--file "$BUILD/tests/programs/marker" -- \
		-device virtio-serial-pci,id=alone -chardev pipe,id=cpu1,path="$dir/trace-path-cpu1" \
		-device virtserialport,bus=alone.0,chardev=cpu1,name=trace-path-cpu1
}

guest || { ok 1 "the guest boots"; tap_done; exit; }
vm_run "echo 1408 > $tracing/buffer_size_kb; trace-agent --daemon"
for kib in ${PATCHED_SUBBUFS-4 64 256}; do
	test_zero_copy "$kib"
done
for test in ${PATCHED_TESTS-stalled_host late_host unplug unplug_stalled}; do
	[ "$test" = stalled_host ] || vm_run 'kill $(pidof trace-agent) 2> /dev/null; sleep 0.5; true'
	"test_$test"
done
guest_end "$kernel"
tap_done
