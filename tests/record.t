#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Is what `virtio-trace record` brings home all that was recorded, and do others read it?
#
# Counts are compared three ways: the guest's own, virtio-trace report's, and those of
# trace-cmd, which also restores a file of its own from the same pages.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

tracing=/sys/kernel/tracing
export VIRTIO_TRACE_DIR=$vm_tmp

# Some work for every CPU, so that there is something to record.
work()
{
	vm_run "for cpu in 0 1; do
			taskset \$((1 << cpu)) sh -c 'for i in \$(seq $1); do cat /proc/stat > /dev/null; done' &
		done; wait"
}

# "cpu events" lines of a trace.dat, as trace-cmd and as we count them.
counts_peer()
{
	trace-cmd report -i "$1" 2> "$tmp/peer.err" | awk '
		match($0, /\[[0-9]+\] +[0-9.]+: /) { n[substr($0, RSTART + 1, 3) + 0]++ }
		END { for (cpu in n) print cpu, n[cpu] }' | sort -n
}

counts_ours()
{
	"$host" report -i "$1" --stat | sed -n 's/^cpu\([0-9]*\) events=\([0-9]*\) .*/\1 \2/p'
}

# "cpu events" the guest says were read out of its ring, from the file's option CPUSTAT.
counts_guest()
{
	"$host" report -i "$1" --stat | awk '$1 == "CPU:" { cpu = $2 }
		$1 == "read" && $2 == "events:" { print cpu, $3 }'
}

# Are timestamps in order on each CPU?
in_order()
{
	awk '{ if (!match($0, /\[[0-9]+\]/)) next
		cpu = substr($0, RSTART + 1, RLENGTH - 2)
		split(substr($0, RSTART + RLENGTH), rest, " ")
		ts = rest[1] + 0
		if (ts < last[cpu]) bad++
		last[cpu] = ts }
		END { exit bad > 0 }'
}

settings()
{
	vm_run "cd $tracing && cat set_event current_tracer trace_clock buffer_size_kb tracing_on \
		buffer_percent; cat buffer_subbuf_size_kb 2> /dev/null; ls instances
		cat events/sched/sched_switch/filter"
}

test_counts()
{
	local dat=$tmp/counts.dat before

	vm_run "echo > $tracing/trace"	# sets the guest's counts back, which never begin anew else
	before=$(settings)
	"$host" record "$vm_name" -q -o "$dat" -e sched -e timer -e kmem -b 4M --duration 4 \
		> "$tmp/ledger" 2>&1 &
	record_begun
	work 40
	wait $!
	is $? 0 "record ends with 0 when everything is accounted for" || cat "$tmp/ledger"
	like "$(< "$tmp/ledger")" "Every event recorded is in the file or counted here" "and says so"
	is "$(counts_peer "$dat")" "$(counts_ours "$dat")" "trace-cmd counts as many events on each CPU as we do"
	is "$(counts_guest "$dat")" "$(counts_ours "$dat")" "and so does the guest"
	is "$(counts_ours "$dat" | wc -l)" 2 "there are events from every vCPU"
	trace-cmd report -i "$dat" > "$tmp/peer" 2> /dev/null
	"$host" report -i "$dat" > "$tmp/ours"
	in_order < "$tmp/ours"
	ok $? "timestamps are in order on each CPU"
	is "$(wc -l < "$tmp/ours")" "$(wc -l < "$tmp/peer")" "the two reports have as many lines"
	is "$(grep -c 'kmalloc:.*call_site=[a-z_.0-9]*+0x' "$tmp/ours")" \
		"$(grep -c 'kmalloc:.*call_site=[a-z_.0-9]*+0x' "$tmp/peer")" "call sites have as many symbols"
	grep -q 'kmalloc:.*call_site=[a-z_.0-9]*+0x' "$tmp/ours"
	ok $? "call sites are symbols"
	grep -q '^ *cat-[0-9]* ' "$tmp/ours"
	ok $? "tasks have names"
	[ "$(grep -c '^ *<\.\.\.>-' "$tmp/ours")" -lt $(($(wc -l < "$tmp/ours") / 10)) ]
	ok $? "nearly all of them"
	is "$(settings)" "$before" "the guest's settings are as they were"
}

# A copy of the parts of the tracing directory that trace-cmd restore wants.
metadata_copy()
{
	local dir=$1

	# tar takes the size that tracefs tells, which is 0, so the files are copied first.
	vm_run "cd $tracing && for file in events/header_page events/header_event printk_formats \
			saved_cmdlines events/ftrace/*/format events/sched/*/format events/timer/*/format; do
			mkdir -p /tmp/meta/\$(dirname \$file) && cat \$file > /tmp/meta/\$file || exit
		done; tar c -C /tmp/meta . | base64" | base64 -d | tar x -C "$dir"
	"$host" cat "$vm_name" /kallsyms > "$dir/kallsyms"
}

test_oracle()
{
	local raw=$tmp/raw meta=$tmp/meta n

	vm_run "echo > $tracing/trace; echo 1 > $tracing/events/sched/enable
		echo 1 > $tracing/events/timer/enable"
	"$host" record "$vm_name" --raw -q -o "$raw" --duration 3 > "$tmp/ledger" 2>&1 &
	record_begun
	work 20
	wait $!
	is $? 3 "--raw: the ledger cannot be closed, which the exit status tells"
	vm_run "echo 0 > $tracing/events/enable"
	mkdir "$meta"
	metadata_copy "$meta"
	(cd "$tmp" && trace-cmd restore -c -t "$meta" -k "$meta/kallsyms" -o h.dat &&
		trace-cmd restore -i h.dat -o t.dat raw/cpu0.raw raw/cpu1.raw) > "$tmp/restore" 2>&1
	ok $? "trace-cmd restores a file from the same pages" || cat "$tmp/restore"
	n=$("$host" report --tracing "$meta" --kallsyms "$meta/kallsyms" "$raw"/cpu*.raw |
		grep -c '\] *[0-9.]*: ')
	is "$(trace-cmd report -i "$tmp/t.dat" 2> /dev/null | grep -c '\] *[0-9.]*: ')" "$n" \
		"its report has as many events as ours from the raw files"
	[ "$n" -gt 100 ]
	ok $? "which are some" || diag "$n"
}

# Markers through record: complete, once, in order.
markers_in_file()
{
	local cpu

	for cpu in 0 1; do
		"$host" report -i "$1" --cpu $cpu |
			sed -n "s/.*seq $cpu \([0-9]*\)\$/\1/p" > "$tmp/seq"
		[ "$(wc -l < "$tmp/seq")" = "$2" ] || { echo "cpu$cpu: $(wc -l < "$tmp/seq") of $2"; return 1; }
		awk -v want=0 '$1 != want++ { exit 1 }' "$tmp/seq" || { echo "cpu$cpu: not in order"; return 1; }
	done
}

test_markers()
{
	local subbuf=$1 dat=$tmp/markers.dat status

	"$host" record "$vm_name" -o "$dat" -b 8M --subbuf "$subbuf" --duration 60 \
		> "$tmp/ledger" 2> "$tmp/progress" &
	record_begun
	vm_run "marker $tracing/trace_marker 2 0 20000"
	kill -INT $!
	wait $!
	status=$?
	is $status 0 "--subbuf $subbuf: Ctrl-C ends it well" || cat "$tmp/ledger" "$tmp/progress"
	markers_in_file "$dat" 20000 > "$tmp/out"
	ok $? "--subbuf $subbuf: every marker is in the file, once, in order" || cat "$tmp/out"
	is "$(counts_peer "$dat")" "$(counts_ours "$dat")" "--subbuf $subbuf: trace-cmd reads it"
}

test_overwritten()
{
	local dat=$tmp/over.dat

	# The ring is overrun before the start order: recorded, and counted as overwritten.
	vm_run "echo > $tracing/trace; echo 64 > $tracing/buffer_size_kb
		marker $tracing/trace_marker 2 0 20000"
	"$host" record "$vm_name" -q -o "$dat" -e sched:sched_switch --duration 1 > "$tmp/ledger" 2>&1
	ok $? "an overrun ring: what is left of it is recorded, exit status 0" || cat "$tmp/ledger"
	is "$(counts_peer "$dat")" "$(counts_ours "$dat")" "an overrun ring: trace-cmd reads it"
	vm_run "echo > $tracing/trace; echo 1408 > $tracing/buffer_size_kb"
}

# What the ring held may be of events that are no longer enabled.
test_held()
{
	local dat=$tmp/held.dat

	vm_run "echo 1 > $tracing/events/timer/enable; sleep 0.5; echo 0 > $tracing/events/timer/enable"
	"$host" record "$vm_name" -q -o "$dat" -e sched:sched_switch --duration 1 > "$tmp/ledger" 2>&1
	ok $? "a ring with events of before is recorded" || cat "$tmp/ledger"
	is "$(counts_peer "$dat")" "$(counts_ours "$dat")" "trace-cmd knows what they are, too"
	grep -q 'timer_start:' <("$host" report -i "$dat")
	ok $? "they are in the file"
}

# Full of events, how many does the ring of each CPU hold?
ring_capacity()
{
	vm_run "echo 0 > $tracing/events/enable; echo > $tracing/trace
		marker $tracing/trace_marker 2 0 60000
		sed -n 's/^entries: //p' $tracing/per_cpu/cpu*/stats; echo > $tracing/trace"
}

test_subbuf_auto()
{
	local dat=$tmp/auto.dat capacity during

	vm_run "echo > $tracing/trace"
	capacity=$(ring_capacity)
	for _ in 1 2; do
		"$host" record "$vm_name" -q -o "$dat" -e sched --duration 60 > "$tmp/ledger" 2>&1 &
		record_begun
		work 5
		during=$(vm_run "cat $tracing/buffer_subbuf_size_kb")
		kill -INT $!
		wait $!
		is $? 0 "an empty ring is recorded" || cat "$tmp/ledger"
	done
	is "$during" 16 "with sub-buffers of 16 KiB"
	is "$(vm_run "cat $tracing/buffer_subbuf_size_kb")" 4 "which it has no longer afterwards"
	is "$(counts_peer "$dat")" "$(counts_ours "$dat")" "trace-cmd reads them"
	is "$(ring_capacity)" "$capacity" "after two recordings the ring holds as many events as before"
	vm_run "marker $tracing/trace_marker 2 0 100"
	"$host" record "$vm_name" -q -o "$dat" -e timer --duration 1 > "$tmp/ledger" 2>&1
	markers_in_file "$dat" 100 > "$tmp/out"
	ok $? "a ring that holds events loses none" || cat "$tmp/out" "$tmp/ledger"
}

test_filter_tracer_clock()
{
	local dat=$tmp/set.dat

	"$host" record "$vm_name" -q -o "$dat" -e sched:sched_switch -f 'next_pid == 0' \
		-C mono -p nop --duration 1 > "$tmp/ledger" 2>&1
	ok $? "filter, clock and tracer are taken" || cat "$tmp/ledger"
	! "$host" report -i "$dat" | grep sched_switch | grep -v 'next_pid=0\|==> swapper'
	ok $? "only matching events are in the file"
	"$host" record "$vm_name" -q -o "$dat" -B other -e timer --duration 1 > "$tmp/ledger" 2>&1
	ok $? "an instance is made" || cat "$tmp/ledger"
	is "$(vm_run "ls $tracing/instances")" "" "and removed afterwards"
	grep -q timer <("$host" report -i "$dat")
	ok $? "its events are in the file"
}

test_wrong_words()
{
	local out

	out=$("$host" record "$vm_name" -q -o "$tmp/x.dat" -e nosuch:event --duration 1 2>&1)
	is $? 1 "an event that is not there: exit status 1"
	like "$out" "nosuch:event" "an event that is not there is named"
	[ ! -e "$tmp/x.dat" ]
	ok $? "and no file is left"
	out=$("$host" record "$vm_name" -q -o "$tmp/x.dat" -e sched:sched_switch -f 'nonsense ==' --duration 1 2>&1)
	is $? 1 "a filter that is none: exit status 1"
	like "$out" "nonsense" "a filter that is none is named"
	out=$("$host" record "$vm_name" -q -o "$tmp/x.dat" -C sundial --duration 1 2>&1)
	like "$out" "sundial" "a clock that is not there is named"
	out=$("$host" record "$vm_name" -q -o "$tmp/x.dat" -p nosuch --duration 1 2>&1)
	like "$out" "nosuch" "a tracer that is not there is named"
	out=$("$host" record nobody -q 2>&1)
	is $? 1 "a guest that is not there: exit status 1"
	like "$out" "guest nobody: no such directory .*virtio-trace setup nobody" "and what to do"
	out=$("$host" record "$vm_name" -q -o "$tmp/no/such/dir/x.dat" --duration 1 2>&1)
	is $? 1 "an output that can't be made: exit status 1"
	like "$out" "no/such/dir/x.dat.*: No such file or directory" "and the file and cause are named"
	is "$(vm_run "cat $tracing/set_event; cat $tracing/tracing_on")" 1 \
		"after all that the guest's settings are as they were"
}

# Where there is one size only, nothing is said of sizes.
old_kernel()
{
	local dat=$tmp/old.dat out

	guest_start stock-6.1 --kernel stock-6.1 --cpus 2 --file "$BUILD/tests/programs/marker" ||
		{ ok 1 "stock-6.1 boots"; return; }
	vm_run "trace-agent --daemon"
	out=$("$host" record "$vm_name" -q -o "$dat" -e sched --duration 1 2>&1)
	is $? 0 "stock-6.1: is recorded"
	is "$(grep -c subbuf <<< "$out")" 0 "stock-6.1: with the size it has"
	is "$(counts_peer "$dat")" "$(counts_ours "$dat")" "stock-6.1: trace-cmd reads it"
	guest_end stock-6.1
}

guest_start main --cpus 2 --file "$BUILD/tests/programs/marker" || { ok 1 "the guest boots"; tap_done; exit; }
# The ring is as large as it will be, so that its size can be told before and after.
vm_run "trace-agent --daemon; echo 1408 > $tracing/buffer_size_kb"
for test in ${RECORD_TESTS:-counts oracle overwritten held subbuf_auto filter_tracer_clock wrong_words}; do
	"test_$test"
done
[ -n "${RECORD_TESTS:-}" ] || for subbuf in 4K 16K 64K; do
	test_markers $subbuf
done
guest_end main
[ -n "${RECORD_TESTS:-}" ] || old_kernel
tap_done
