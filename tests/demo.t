#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does `make demo` show what it promises, and do others read what it leaves?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

"$tests_here/../scripts/demo" > "$tmp/out" 2>&1
ok $? "the demo runs" || cat "$tmp/out"
dat=$BUILD/demo/trace.dat
report=$BUILD/demo/report.txt

like "$(< "$tmp/out")" '[0-9.]+ s +[0-9.]+ MiB' "it shows progress while it records"
like "$(< "$tmp/out")" "Every event recorded is in the file or counted here" "then the ledger"
like "$(< "$tmp/out")" '-[0-9]+ +\[00[01]\] +[0-9.]+: [a-z_]+:' "and the first events"
trace-cmd report -i "$dat" > "$tmp/peer" 2> /dev/null
events='\] +[0-9.]+: '
is "$(grep -Ec "$events" "$report")" "$(grep -Ec "$events" "$tmp/peer")" \
	"trace-cmd finds as many events as the report"
for what in '\[000\]' '\[001\]' 'sched_switch:' 'hrtimer_start:' 'kmalloc:.*call_site=[a-z_.0-9]+\+0x'; do
	grep -Eq "$what" "$tmp/peer"
	ok $? "among them $what"
done
tap_done
