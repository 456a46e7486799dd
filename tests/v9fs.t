#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the kernel's own 9P client find the guest's tracing directory behind the port?
#
# Two guests: one runs the agent, the other has v9fs and mounts what the first serves,
# through a port of its own that QEMU joins to the agent's. The client of 6.12 loses
# the errno of a failed write (netfs returns 0 bytes written), that of 6.1 keeps it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

mnt=/mnt
tracing=/sys/kernel/tracing

# The same command in both guests must print the same.
same()
{
	local mounted direct

	vm_use client
	mounted=$(vm_run "cd $mnt/tracing && $1")
	vm_use served
	direct=$(vm_run "cd $tracing && $1")
	is "$mounted" "$direct" "$2"
}

client()
{
	vm_use client
	vm_run "$1"
}

served()
{
	vm_use served
	vm_run "$1"
}

mount_it()
{
	client "mkdir -p $mnt; fd-mount /dev/virtio-ports/agent-fs $mnt $1"
}

client_start()
{
	guest_start client --kernel "$1" --file "$BUILD/tests/programs/fd-mount" \
		--port "agent-fs=socket,path=$sock"
}

# $1 fails in the client, with EINVAL where the client's kernel passes it on.
refused()
{
	local out

	if out=$(client "$1"); then
		ok 1 "$2"
	elif [ "$kernel" = generic-6.12 ]; then
		ok 0 "$2 (refused)"
	else
		like "$out" "Invalid argument" "$2"
	fi
}

test_reading()
{
	is "$(client "ls $mnt")" $'agent\nkallsyms\ntracing' "the root holds agent, kallsyms, tracing"
	is "$(client "cat $mnt/agent/version")" "$("$agent" --version | cut -d' ' -f2)" "agent/version"
	same "ls -a | sort" "the tracing directory lists as it is"
	same "ls events | sort" "events lists as it is"
	same "cat available_tracers; cat events/header_page" "files of size 0 are read whole"
	same "cat events/sched/sched_switch/format | md5sum" "a format is read whole"
	same "cat available_filter_functions | md5sum" "a large file of size 0 is read whole"
	same "ls -l events/sched/sched_switch | sed 's/.*root  *root *//' | awk '{ print \$1, \$NF }'" \
		"sizes and names are as they are"
	is "$(client "head -c 100000 $mnt/kallsyms | wc -c")" 100000 "kallsyms is readable"
	like "$(client "cat $mnt/tracing/no_such_file")" "No such file or directory" "a missing file is ENOENT"
	like "$(client "cat $mnt/tracing/../../etc/passwd")" "No such file" "nothing outside the tree is reached"
}

test_writing()
{
	local enable=events/sched/sched_switch/enable

	client "echo 1 > $mnt/tracing/$enable"
	ok $? "echo 1 > enables an event"
	is "$(served "cat $tracing/$enable")" 1 "in the served guest"
	client "echo 0 >> $mnt/tracing/$enable"
	is "$(served "cat $tracing/$enable")" 0 "echo 0 >> disables it"
	refused "echo 7 > $mnt/tracing/$enable" "a bad value is EINVAL"
	refused "echo nonsense > $mnt/tracing/current_tracer" "a tracer that is none is EINVAL"
	like "$(client "echo x > $mnt/tracing/new_file")" "Operation not permitted|Permission denied" \
		"tracefs lets nobody make files"
	! client "ln -s x $mnt/tracing/link" > /dev/null
	ok $? "nor symbolic links"
}

test_instances()
{
	client "mkdir $mnt/tracing/instances/foo"
	ok $? "mkdir makes an instance"
	served "[ -e $tracing/instances/foo/trace ]"
	ok $? "in the served guest"
	is "$(client "cat $mnt/tracing/instances/foo/current_tracer")" nop "which can be used"
	client "rmdir $mnt/tracing/instances/foo"
	ok $? "rmdir removes it"
	served "[ ! -e $tracing/instances/foo ]"
	ok $? "in the served guest"
}

# A blocked reader of trace_pipe must not hold up the others, and can be interrupted.
test_blocked_read()
{
	is "$(client "cat $mnt/tracing/trace_pipe > /tmp/pipe.log 2>&1 & echo \$! > /tmp/pipe.pid
		sleep 1; cat $mnt/tracing/current_tracer")" nop \
		"a blocking read of trace_pipe leaves the server free"
	client 'kill $(cat /tmp/pipe.pid); for i in $(seq 50); do
		[ -d /proc/$(cat /tmp/pipe.pid) ] || exit 0; sleep 0.1; done; exit 1'
	ok $? "a blocked read can be interrupted (Tflush)"
}

test_agent_files()
{
	client "echo 1 > $mnt/agent/ctl"
	ok $? "agent/ctl takes the start order"
	is "$(client "cat $mnt/agent/ctl")" 1 "and shows the order in force"
	client "echo 0 > $mnt/agent/ctl"
	ok $? "agent/ctl takes the stop order"
	refused "echo 5 > $mnt/agent/ctl" "agent/ctl refuses what is no order"
	like "$(client "cat $mnt/agent/stats")" "cpu1 state=idle" "agent/stats shows the ledger"
	like "$(client "cat $mnt/agent/machine")" "subbuf_size=4096" "agent/machine describes the guest"
	like "$(client "cat $mnt/agent/clock")" "trace_clock=local" "agent/clock tells the time"
}

# The client goes in the middle of a message: its guest is cut off while it writes.
test_cut_off()
{
	client "(while :; do head -c 60000 /dev/zero > $mnt/tracing/trace_marker_raw; done) > /dev/null 2>&1 &"
	sleep 0.5
	vm_use client
	vm_kill
	client_start "$kernel"
	ok $? "after a client was cut off in the middle of a message, the next one boots"
	mount_it
	ok $? "and mounts"
	is "$(client "cat $mnt/tracing/current_tracer")" nop "and reads"
	client "umount $mnt"
	mount_it "cache=loose,msize=1048576"
	ok $? "it mounts again after umount, with the largest msize"
	if [ "$kernel" = generic-6.12 ]; then
		same "cat events/sched/sched_switch/format" "and a caching client reads whole files"
	else
		skip "a caching client reads whole files" "$kernel stops at the size tracefs tells, 0"
	fi
}

guest_start served --cpus 2 || { ok 1 "the served guest boots"; tap_done; exit; }
vm_run 'trace-agent --daemon'
sock=$(vm_dir)/agent-fs-path.sock
for kernel in ${V9FS_KERNELS:-generic-6.12 generic-6.1}; do
	diag "v9fs of $kernel"
	client_start "$kernel" || { ok 1 "$kernel: the client guest boots"; continue; }
	mount_it
	ok $? "$kernel: v9fs mounts it"
	for test in reading writing instances blocked_read agent_files cut_off; do
		"test_$test"
	done
	guest_end client
done
guest_end served
tap_done
