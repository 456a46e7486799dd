#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does report show what trace-cmd shows, from captures as from a trace.dat?
# shellcheck source=tools/virtio/virtio-trace/tests/tap.sh
. "$(dirname "$0")/tap.sh"
guest=$(cd "$(dirname "$0")" && pwd)/fixture

# shellcheck disable=SC2154
report()
{
	timeout 60 "$host" report "$@"
}

# A 6.12 guest wrote numbered markers from both CPUs while sched, timer and
# kmem events were on; its ring buffers held 222 and 200 events.
report --tracing "$guest" "$guest/cpu0.raw" "$guest/cpu1.raw" > "$tmp/text" 2> "$tmp/said"
is $? 0 "captures and a copy of the guest's files are shown"
is "$(cat "$tmp/said")" "" "without a word"
is "$(head -n 1 "$tmp/text")" "cpus=2" "two CPUs"
is "$(grep -c '\[000\]' "$tmp/text")" 222 "every event of CPU 0"
is "$(grep -c '\[001\]' "$tmp/text")" 200 "every event of CPU 1"
for cpu in 0 1; do
	is "$(grep -o "cpu$cpu marker [0-9]*" "$tmp/text" | tr -dc '0-9\n' | tr '\n' ' ')" \
		"${cpu}1 ${cpu}2 ${cpu}3 ${cpu}4 ${cpu}5 ${cpu}6 " "CPU $cpu: every marker, once, in order"
done
tail -n +2 "$tmp/text" | sed 's/.*\] *\([0-9]*\.[0-9]*\):.*/\1/' > "$tmp/times"
sort -n -c "$tmp/times"
is $? 0 "in the order of time"
like "$(cat "$tmp/text")" "kmalloc: .*call_site=lsm_blob_alloc\+0x2d" "call sites by name"
like "$(cat "$tmp/text")" "rcu_preempt-18 .*sched_switch: .*rcu_preempt:18 .* ==> swapper/0:0" \
	"tasks by name"

report --stat --tracing "$guest" "$guest"/cpu[01].raw > "$tmp/stat"
like "$(cat "$tmp/stat")" "cpu0 events=222 missed=0 subbufs=3 bytes=11756" "counted: CPU 0"
like "$(cat "$tmp/stat")" "cpu1 events=200 missed=0 subbufs=3 bytes=10584" "counted: CPU 1"
is "$(report --tracing "$guest" --cpu 1 "$guest"/cpu[01].raw | grep -c '\[00')" 200 "one CPU alone"
is "$(report --tracing "$guest" -e 'sched:*' -e print "$guest"/cpu[01].raw |
	grep -vc 'sched_\|print:\|cpus=')" 0 "chosen events alone"
is "$(report --tracing "$guest" -n 7 "$guest"/cpu[01].raw | wc -l)" 8 "seven events"
like "$(report --tracing "$guest" --raw -n 1 "$guest"/cpu[01].raw)" "gfp_flags=" "field by field"

# A capture that ends anywhere, and one with garbage in the middle.
head -c 10000 "$guest/cpu0.raw" > "$tmp/cpu0.raw"
like "$(report -s --tracing "$guest" "$tmp/cpu0.raw" 2>&1)" "events=1[0-9][0-9]" \
	"a capture cut in an event"
cp "$guest/cpu1.raw" "$tmp/cpu1.raw"
printf '\377\377\377\177' | dd of="$tmp/cpu1.raw" bs=1 seek=4104 conv=notrunc status=none
report --tracing "$guest" "$tmp/cpu1.raw" > "$tmp/bad" 2> "$tmp/said"
is $? 1 "a bad sub-buffer shows in the exit status"
like "$(cat "$tmp/said")" "cpu1.raw: cpu1: byte 4096: bad sub-buffer" "is told, with its place"
is "$(grep -c '\[001\]' "$tmp/bad")" 121 "and costs what is in it"

if type trace-cmd > /dev/null 2>&1; then
	trace-cmd restore -c -t "$guest/tracing" -k "$guest/kallsyms" -o "$tmp/head.dat" \
		> "$tmp/restore" 2>&1 &&
	trace-cmd restore -i "$tmp/head.dat" -o "$tmp/theirs.dat" "$guest"/cpu[01].raw \
		>> "$tmp/restore" 2>&1
	is $? 0 "trace-cmd makes a file of the same captures"
	trace-cmd report -i "$tmp/theirs.dat" > "$tmp/theirs" 2> /dev/null
	cmp "$tmp/theirs" "$tmp/text"
	is $? 0 "and shows the same, byte for byte"
	report "$tmp/theirs.dat" 2> "$tmp/said"
	like "$(cat "$tmp/said")" "trace-cmd report reads it" "its newer version is left to it"
else
	skip "trace-cmd shows the same" "trace-cmd is not installed"
fi

report --tracing "$guest" 2> "$tmp/said"
is $? 2 "captures are needed with --tracing"
report "$tmp/a" "$tmp/b" 2> "$tmp/said"
is $? 2 "one trace.dat at a time"
report --tracing "$guest" -e no_such "$guest/cpu0.raw" > "$tmp/out" 2> "$tmp/said"
is $? 2 "an event that is not there"
report --tracing "$guest" "$guest/kallsyms" 2> "$tmp/said"
is $? 1 "a capture without number"
like "$(cat "$tmp/said")" "must be like cpu3.raw" "is told how to name it"
report "$tmp/nothing.dat" 2> "$tmp/said"
is $? 1 "a file that is not there"
like "$(cat "$tmp/said")" "nothing.dat: No such file" "is named"
report --tracing "$guest" "$guest/cpu0.raw" > /dev/full 2> "$tmp/said"
is $? 1 "a full disk"
like "$(cat "$tmp/said")" "report: write: No space left" "is told"
report --tracing "$guest" "$guest/cpu0.raw" 2> "$tmp/said" | head -n 1 > /dev/null
is "$(cat "$tmp/said")" "" "a reader who has seen enough is no fault"
tap_done
