#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the agent behave when something is missing, full, gone, changed or wrong?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/relay-lib.sh
. "$tests_here/relay-lib.sh"

log=/tmp/agent.log

# Waits until the agent's messages hold a text.
agent_said()
{
	vm_run "for i in \$(seq 80); do grep -q '$1' $log && exit 0; sleep 0.1; done
		cat $log; exit 1"
}

markers()
{
	vm_run "marker $tracing/${4:-}trace_marker $1 $2 $3"
}

# QEMU's monitor by hand: one command.
monitor()
{
	printf '%s\n' "$1" > "$(vm_dir)/monitor.in"
	sleep 0.5
}

raw_is_empty()
{
	[ "$(ports_bytes)" = "$1" ]
}

test_self_test()
{
	local out

	out=$(vm_run 'trace-agent --self-test')
	ok $? "self-test: passes in a guest that has everything"
	like "$out" "ok [0-9]+ - port trace-path-cpu1 opens" "self-test: looks at every CPU's port"
	out=$(vm_run "cat $tracing/trace; ls $tracing/instances")
	is "$(grep -v '^#' <<< "$out")" "" "self-test: leaves nothing behind in tracefs"
}

test_wrong_moves()
{
	local out

	out=$(vm_run 'trace-agent -s 1X')
	is $? 2 "a size that is none: exit status 2"
	like "$out" "^trace-agent: --pipe-size 1X: not a size" "a size that is none is named"
	out=$(vm_run 'trace-agent -s 1K')
	like "$out" "must be from 65536 to 16777216" "a size out of bounds: the bounds are told"
	out=$(vm_run 'trace-agent --nonsense')
	like "$out" "^trace-agent: --nonsense: no such option" "an option that is none is named"
	out=$(vm_run 'trace-agent extra')
	like "$out" "^trace-agent: extra: trace-agent takes options only" "an operand is refused"
	out=$(vm_run 'trace-agent -c 1-')
	is $? 2 "a CPU list that is none: exit status 2"
	out=$(vm_run 'trace-agent -c 7')
	is $? 1 "a CPU without port: exit status 1"
	like "$out" "no port trace-path-cpu7" "a CPU without port is named"
	out=$(vm_run "trace-agent -i nowhere")
	is $? 1 "an instance that is not there: exit status 1"
	like "$out" "^trace-agent: instance nowhere: No such file or directory" "the missing instance is named"
	out=$(vm_run "trace-agent -i ..")
	like "$out" "instance ..: Invalid argument" "what is no name of an instance is refused"
	agent_start
	out=$(vm_run 'trace-agent')
	is $? 1 "a second agent: exit status 1"
	like "$out" "open the port agent-ctl-path \(does another trace-agent run\?\): Device or resource busy" \
		"a second agent is told why it can't run"
	agent_stop > /dev/null
}

test_last_partial()
{
	agent_start
	ports_open 2
	markers 2 0 3
	order 1
	order 0
	ports_quiet
	ports_close
	markers_arrived 4096 2 0 3 > "$tmp/out"
	ok $? "the last, partly filled sub-buffer arrives on stop" || cat "$tmp/out"
	is "$(ports_bytes)" 8192 "as one sub-buffer a CPU"
	ports_open 2
	markers 2 3 500
	ports_quiet
	is "$(ports_bytes)" 0 "after a stop the ports are silent"
	order 1
	ports_quiet
	sleep 1
	ports_close
	markers_arrived 4096 2 3 500 > "$tmp/out"
	ok $? "a start ships what the ring holds, within the latency bound" || cat "$tmp/out"
	agent_stop > /dev/null
}

# Voluntary context switches are counted by the kernel: one for each sleep.
switches()
{
	vm_run 'grep -h ^voluntary /proc/$(pidof trace-agent)/task/*/status' | awk '{ print $2 }'
}

# More than fits into the port's queue at once, in a ring whose size tells less than it holds.
test_large_ring()
{
	vm_run "echo > $tracing/trace; echo 65536 > $tracing/per_cpu/cpu0/buffer_size_kb
		taskset 1 dd if=/dev/zero of=$tracing/trace_marker bs=3900 count=16600 2> /dev/null"
	agent_start -s 64K
	ports_open 2
	order 1
	order 0
	ports_quiet
	like "$(vm_run "cat $tracing/per_cpu/cpu0/stats")" "^entries: 0" \
		"a stop ships all of a large, full ring"
	ports_close
	agent_stop > /dev/null
	vm_run "echo > $tracing/trace; echo 1408 > $tracing/per_cpu/cpu0/buffer_size_kb"
}

# What a client made the server hold is not kept when it goes.
test_greedy_host()
{
	local kib

	agent_start
	for _ in $(seq 20); do
		"$host" cat "$(vm_dir)" /agent/stats > "$tmp/out" 2>&1 || break
	done
	"$host" cat "$(vm_dir)" /kallsyms > "$tmp/out" 2>&1
	ok $? "a large file is read through the server"
	sleep 0.5
	kib=$(vm_run 'awk "/RssAnon/ { print \$2 }" /proc/$(pidof trace-agent)/status')
	[ "$kib" -le 512 ]
	ok $? "the server gives back what it needed" || diag "$kib KiB"
	agent_stop > /dev/null
}

test_quiet()
{
	local before after seconds=60

	vm_run "echo 0 > $tracing/events/enable"
	agent_start
	ports_open 2
	order 1
	ports_quiet
	mapfile -t before < <(switches)
	sleep $seconds
	mapfile -t after < <(switches)
	ports_close
	is ${#after[@]} 4 "quiet guest: main, server and two relays"
	for i in "${!after[@]}"; do
		[ $((after[i] - before[i])) -le $((seconds + 2)) ]
		ok $? "quiet guest: thread $i sleeps at least a second at a time" ||
			diag "$((after[i] - before[i])) wakeups in $seconds s"
	done
	agent_stop > /dev/null
}

test_stalled_host()
{
	local rss

	vm_run "echo 16384 > $tracing/buffer_size_kb"
	agent_start -s 64K
	order 1
	markers 2 0 300000
	agent_said 'start'
	vm_run 'echo alive' > /dev/null
	ok $? "nobody reads: the guest goes on"
	rss=$(vm_run 'awk "/RssAnon/ { print \$2 }" /proc/$(pidof trace-agent)/status')
	[ "$rss" -le 1024 ]
	ok $? "nobody reads: the agent's own memory stays below 1 MiB" || diag "$rss KiB"
	order 0
	sleep 0.5
	ports_open 2
	ports_quiet
	markers_arrived 4096 2 0 300000 > "$tmp/out"
	ok $? "a late reader gets everything recorded before the stop" || cat "$tmp/out"
	ports_close
	order 1
	markers 2 300000 300000
	agent_stop > "$tmp/log"
	ok $? "nobody reads: SIGTERM ends the agent all the same"
	like "$(< "$tmp/log")" "[1-9][0-9]* with the port" "what could not be shipped is told" ||
		cat "$tmp/log"
	ports_open 2
	ports_quiet
	ports_close
	vm_run "echo > $tracing/trace; echo 1408 > $tracing/buffer_size_kb"
}

test_resize()
{
	vm_run "[ -e $tracing/buffer_subbuf_size_kb ]" || {
		skip "sub-buffer size changed under the agent" "this kernel has one size only"
		return
	}
	agent_start
	ports_open 2
	order 1
	markers 2 0 1000
	ports_quiet
	vm_run "echo 16 > $tracing/buffer_subbuf_size_kb"
	agent_said 'cpu1: ship to trace-path-cpu1: the sub-buffer size is no longer 4096'
	ok $? "a changed sub-buffer size is noticed and told"
	ports_close
	markers_arrived 4096 2 0 1000 > "$tmp/out"
	ok $? "what was shipped before it is whole" || cat "$tmp/out"
	ports_open 2
	markers 2 1000 1000
	ports_quiet
	is "$(ports_bytes)" 0 "no sub-buffer of another size follows by itself"
	order 1
	ports_quiet
	order 0
	ports_quiet
	ports_close
	markers_arrived 16384 2 1000 1000 > "$tmp/out"
	ok $? "the next start ships with the new size" || cat "$tmp/out"
	agent_stop > /dev/null
	vm_run "echo 4 > $tracing/buffer_subbuf_size_kb"
}

test_offline_cpu()
{
	local cpu1=/sys/devices/system/cpu/cpu1/online

	agent_start
	ports_open 2
	order 1
	markers 2 0 2000
	vm_run "echo 0 > $cpu1"
	ok $? "a CPU can go offline while its relay runs"
	ports_quiet
	sleep 1.2
	ports_quiet
	vm_run "echo 1 > $cpu1; sleep 0.5"
	markers 2 2000 2000
	order 0
	ports_quiet
	ports_close
	markers_arrived 4096 2 0 4000 > "$tmp/out"
	ok $? "nothing is lost over offline and online" || cat "$tmp/out"
	agent_stop > /dev/null
}

test_instance()
{
	vm_run "mkdir $tracing/instances/foo" && agent_start -i foo
	ports_open 2
	order 1
	markers 2 0 1000 instances/foo/
	order 0
	ports_quiet
	ports_close
	markers_arrived 4096 2 0 1000 > "$tmp/out"
	ok $? "-i ships from the instance" || cat "$tmp/out"
	vm_run "rmdir $tracing/instances/foo"
	ok $? "a stopped agent does not keep the instance"
	order 1
	agent_said 'instances/foo/events/header_page: No such file or directory'
	ok $? "a vanished instance is told at the next start"
	vm_run "mkdir $tracing/instances/foo"
	ports_open 2
	order 1
	markers 2 1000 1000 instances/foo/
	order 0
	ports_quiet
	ports_close
	markers_arrived 4096 2 1000 1000 > "$tmp/out"
	ok $? "and shipped from when it is back" || cat "$tmp/out"
	agent_stop > /dev/null
	vm_run "rmdir $tracing/instances/foo"
}

test_garbage_orders()
{
	agent_start
	head -c 3000 /dev/urandom | tr -d '01' > "$(vm_dir)/agent-ctl-path.in"
	agent_said 'agent-ctl-path: .* bytes ignored that are no order'
	ok $? "what is no order is ignored with a message"
	ports_open 2
	printf 'x1' > "$(vm_dir)/agent-ctl-path.in"
	markers 2 0 100
	order 0
	ports_quiet
	ports_close
	markers_arrived 4096 2 0 100 > "$tmp/out"
	ok $? "an order among garbage is obeyed" || cat "$tmp/out"
	is "$(vm_run "grep -c ignored $log")" 1 "one message, not one a byte"
	agent_stop > /dev/null
}

# Runs trace-agent -o into what $1 says, with 5000 markers between start and stop.
stdout_capture()
{
	vm_run "trace-agent -o $1 & sleep 1" || return
	order 1
	markers 1 0 5000
	order 0
	mkdir -p "$raw"
	vm_run 'sleep 1; kill $(pidof trace-agent); sleep 0.5; base64 /tmp/out' |
		base64 -d > "$raw/cpu0.raw"
	markers_arrived 4096 1 0 5000 > "$tmp/out"
}

test_stdout()
{
	stdout_capture "< /dev/null > /tmp/out 2> $log"
	ok $? "-o: whole sub-buffers on stdout, a file" || cat "$tmp/out"
	stdout_capture "-c 0 < /dev/null 2> $log | cat > /tmp/out 2>&1"
	ok $? "-o: whole sub-buffers on stdout, a pipe" || cat "$tmp/out"
	vm_run "(trace-agent -o < /dev/null | true) > $log 2>&1 & sleep 1"
	order 1
	markers 1 0 5000
	vm_run 'for i in $(seq 50); do pidof trace-agent > /dev/null || exit 0; sleep 0.1; done
		kill $(pidof trace-agent); exit 1'
	ok $? "-o: ends when nobody reads stdout any more" || vm_run "cat $log"
	vm_run "echo > $tracing/trace"
}

test_daemon()
{
	local out

	out=$(vm_run "trace-agent --daemon && pidof trace-agent")
	ok $? "--daemon: returns when it is ready, and runs on"
	out=$(vm_run "trace-agent --daemon")
	is $? 1 "--daemon: a failure to start is the exit status"
	like "$out" "busy" "--daemon: and is said"
	vm_run 'kill $(pidof trace-agent); sleep 0.5'
}

test_unplug()
{
	agent_start
	ports_open 2
	order 1
	markers 2 0 1000
	ports_quiet
	monitor "device_del cpu1"
	markers 2 1000 1000
	agent_said 'cpu1: ship to trace-path-cpu1: No such device'
	ok $? "an unplugged port is told when there is something to ship"
	ports_quiet
	markers_arrived 4096 1 0 2000 > "$tmp/out"
	ok $? "the other CPU's relay goes on" || cat "$tmp/out"
	monitor "device_add virtserialport,bus=vm-serial0.0,nr=20,chardev=cpu1,name=trace-path-cpu1"
	agent_said 'cpu1: trace-path-cpu1 is back'
	ok $? "a port that is plugged in again is taken up"
	ports_close
	agent_stop > /dev/null
}

# The port of CPU 1 is made here and not by vm/boot, so that it can be unplugged.
agent_guest()
{
	local name=$1 fifo dir=$vm_tmp/$1
	shift

	mkdir -p "$dir"
	for fifo in monitor trace-path-cpu1; do
		mkfifo "$dir/$fifo.in" "$dir/$fifo.out"
	done
	guest_start "$name" --cpus 2 --trace-cpus 1 --file "$BUILD/tests/programs/marker" "$@" -- \
		-chardev pipe,id=monitor,path="$dir/monitor" -mon chardev=monitor \
		-chardev pipe,id=cpu1,path="$dir/trace-path-cpu1" \
		-device virtserialport,bus=vm-serial0.0,nr=20,chardev=cpu1,name=trace-path-cpu1,id=cpu1
}

agent_guest stock-6.12 || { ok 1 "the guest boots"; tap_done; exit; }
vm_run "echo 1408 > $tracing/buffer_size_kb"	# a ring not yet used has two pages only
for test in ${AGENT_TESTS:-self_test wrong_moves last_partial large_ring greedy_host quiet stalled_host resize offline_cpu
	instance garbage_orders stdout daemon unplug}; do
	"test_$test"
done
guest_end stock-6.12
tap_done
