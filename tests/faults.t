#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Whatever ends a recording: is it said, does the exit status tell, and can the file be read?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

tracing=/sys/kernel/tracing
export VIRTIO_TRACE_DIR=$vm_tmp

# Begins to record the current guest into $dat, and waits until events come.
record_begin()
{
	dat=$tmp/$1.dat
	shift
	"$host" record "$vm_name" -o "$dat" -e sched -e timer --duration 60 "$@" \
		> "$tmp/ledger" 2> "$tmp/said" &
	recorder=$!
	for _ in $(seq 300); do
		grep -Eq ' [1-9][0-9]* events' "$tmp/said" && return 0
		kill -0 $recorder 2> /dev/null || return 1
		sleep 0.1
	done
	return 1
}

# One result each: it ended with the status, said so, left a file all can read.
record_ended()
{
	local want=$1 regex=$2 what=$3 status ours

	wait "$recorder"
	status=$?
	is $status "$want" "$what: exit status $want" || cat "$tmp/said" "$tmp/ledger"
	like "$(< "$tmp/said")" "$regex" "$what: is said"
	ours=$("$host" report -i "$dat" 2> "$tmp/report.err" | grep -c '\] *[0-9.]*: ')
	[ "$ours" -gt 0 ]
	ok $? "$what: what had arrived can be read" || cat "$tmp/report.err"
	is "$(trace-cmd report -i "$dat" 2> /dev/null | grep -c '\] *[0-9.]*: ')" "$ours" \
		"$what: by trace-cmd, too"
}

agent_start_daemon()
{
	vm_run 'trace-agent --daemon'
}

test_signals()
{
	local signal

	for signal in INT TERM; do
		record_begin "signal-$signal" || cat "$tmp/said"
		kill -$signal "$recorder"
		record_ended 0 "events" "SIG$signal to record"
		like "$(< "$tmp/ledger")" "Every event recorded is in the file or counted here" \
			"SIG$signal to record: the ledger closes"
	done
	is "$(vm_run "cat $tracing/set_event")" "" "the guest's settings are put back"
}

# Ctrl-C while formats and symbols are still being fetched.
test_cancelled()
{
	"$host" record "$vm_name" -q -o "$tmp/cancelled.dat" -e sched --duration 60 > "$tmp/said" 2>&1 &
	recorder=$!
	vm_run "for i in \$(seq 300); do
			[ \$(cat $tracing/events/sched/sched_switch/enable) = 1 ] && exit 0
			usleep 20000
		done; exit 1"
	kill -INT $recorder
	wait $recorder
	is $? 1 "SIGINT before it has begun: exit status 1"
	like "$(< "$tmp/said")" "not recorded: Interrupted" "SIGINT before it has begun: is said"
	[ ! -e "$tmp/cancelled.dat" ]
	ok $? "SIGINT before it has begun: no file is left"
	is "$(vm_run "cat $tracing/set_event $tracing/tracing_on")" 1 \
		"SIGINT before it has begun: the guest's settings are put back"
}

# The recorder gets no chance to end well: the file is valid at every moment.
test_killed()
{
	record_begin killed || cat "$tmp/said"
	is "$(trace-cmd report -i "$dat" 2> /dev/null | grep -c '\] *[0-9.]*: ' | sed 's/[1-9].*/some/')" \
		some "trace-cmd reads the file while it is written"
	kill -KILL "$recorder"
	record_ended 137 "events" "SIGKILL to record"
	"$host" record "$vm_name" -q -o "$tmp/after.dat" -e sched --duration 1 > "$tmp/ledger" 2> "$tmp/said"
	is $? 0 "after SIGKILL to record: the next one works" || cat "$tmp/said" "$tmp/ledger"
	like "$(< "$tmp/said")" "the relays are running already" "and says what it found"
	vm_run "echo 0 > $tracing/events/enable"
}

test_disk_full()
{
	mkdir "$tmp/small"
	if ! mount -t tmpfs -o size=12m tmpfs "$tmp/small" 2> /dev/null; then
		skip "disk full" "a small file system can't be mounted here"
		return
	fi
	dat=$tmp/small/full.dat
	head -c 4M /dev/zero > "$tmp/small/ballast"
	"$host" record "$vm_name" -q -o "$dat" --duration 60 > "$tmp/ledger" 2> "$tmp/said" &
	recorder=$!
	vm_run -t 120 "until ls -l /proc/\$(pidof trace-agent)/fd 2> /dev/null | grep -q trace_pipe_raw; do sleep 0.1; done
		marker $tracing/trace_marker 2 0 150000 2> /dev/null" # ends when tracing is switched off
	record_ended 1 "write the trace file: No space left on device" "disk full"
	is "$(vm_run "cat $tracing/tracing_on")" 1 "disk full: the guest's settings are put back"
	umount "$tmp/small"
}

# Root may write anywhere, so nobody tries it.
test_no_permission()
{
	local out nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

	if [ "$(id -u)" != 0 ]; then
		skip "no write permission" "needs root to become somebody with less rights"
		return
	fi
	chmod 711 "$vm_tmp"
	chmod -R a+rwX "$(vm_dir)"
	mkdir -m 755 "$tmp/mine"
	chmod 711 "$tmp"
	out=$("${nobody[@]}" "$host" record "$(vm_dir)" -q -o "$tmp/mine/x.dat" --duration 1 2>&1)
	is $? 1 "no write permission: exit status 1"
	like "$out" "$tmp/mine/x.dat.*: Permission denied" "no write permission: file and cause are named"
	chmod 700 "$(vm_dir)"
	out=$("${nobody[@]}" "$host" status "$(vm_dir)" 2>&1)
	is $? 1 "no right to the guest's directory: exit status 1"
	like "$out" "$(vm_dir).*: Permission denied" "no right to the guest's directory: is said"
}

test_agent_killed()
{
	record_begin agent-killed || cat "$tmp/said"
	vm_run 'kill -KILL $(pidof trace-agent)'
	record_ended 1 "guest $vm_name: .*agent" "agent killed"
	agent_start_daemon
	record_begin agent-ended || cat "$tmp/said"
	vm_run 'kill $(pidof trace-agent)'
	record_ended 1 "guest $vm_name: .*agent" "agent ended by SIGTERM"
}

test_no_agent()
{
	local out

	out=$("$host" record "$vm_name" -q --timeout 2s -o "$tmp/none.dat" --duration 1 2>&1)
	is $? 1 "no agent: exit status 1"
	like "$out" "guest $vm_name: .*(agent|answer)" "no agent: is said"
	[ ! -e "$tmp/none.dat" ]
	ok $? "no agent: no file is left"
	out=$("$host" start "$vm_name" --timeout 2s 2>&1)
	is $? 1 "no agent: start fails"
	agent_start_daemon
	is "$("$host" cat "$vm_name" /agent/ctl)" 0 "no order is left behind for a late agent"
}

test_power_off()
{
	record_begin power-off || cat "$tmp/said"
	vm_kill
	record_ended 1 "guest $vm_name: .*(QEMU|gone|closed)" "guest cut off"
}

guest_start faults --cpus 2 --file "$BUILD/tests/programs/marker" || { ok 1 "the guest boots"; tap_done; exit; }
agent_start_daemon
for test in ${FAULTS_TESTS:-signals cancelled killed disk_full no_permission agent_killed}; do
	"test_$test"
done
vm_run 'pid=$(pidof trace-agent) && kill $pid; sleep 0.5'
test_no_agent
vm_check_console
ok $? "the guest's console is clean"
test_power_off
tap_done
