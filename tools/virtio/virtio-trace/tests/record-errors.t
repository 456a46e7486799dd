#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the commands name what they tried and what was wrong, and record by the way of 2012?
# shellcheck source=tools/virtio/virtio-trace/tests/tap.sh
. "$(dirname "$0")/tap.sh"
export VIRTIO_TRACE_DIR=$tmp/guests

# shellcheck disable=SC2154
vt()
{
	"$host" "$@"
}

# fails STATUS REGEX NAME WORD...: the command ends so, and says why.
fails()
{
	local want=$1 regex=$2 name=$3 said status
	shift 3

	said=$(vt "$@" 2>&1)
	status=$?
	is $status "$want" "$name: status $want" || diag "$said"
	like "$said" "$regex" "$name: says why"
}

# Stands for QEMU and an agent of 2012: takes an order, then sends what it is given.
agent_2012()
{
	local order

	IFS= read -r -n 1 order < "$dir/agent-ctl-path.in"
	[ "$order" != 1 ] || head -c 10000 /dev/zero > "$dir/trace-path-cpu0.out"
	IFS= read -r -n 1 order < "$dir/agent-ctl-path.in"
	[ "$order" != 0 ] || head -c 2000 /dev/zero > "$dir/trace-path-cpu1.out"
}

fails 2 "what to do" "no command"
fails 2 "frobnicate: no such command" "an unknown command" frobnicate
like "$(vt --version)" '^virtio-trace [0-9]' "--version tells the version"
like "$(vt --help)" 'record +record a guest' "--help lists the commands"
for command in setup record report start stop status cat set; do
	like "$(vt $command --help)" "^Usage: virtio-trace $command" "$command has --help"
done

fails 1 "guest nosuch: no such directory $tmp/guests/nosuch; 'virtio-trace setup nosuch" \
	"an unknown guest" record nosuch
fails 2 "too few words" "no guest" record
fails 2 "too many words" "two guests" record a b
fails 2 "the -e it is for must stand before it" "a filter for nothing" record g -f x
fails 2 "not a name of an instance" "a path as instance" record g -B a/b
fails 2 "not a duration" "a strange duration" record g --duration soon
fails 2 "not a size" "a strange size" record g --max-size big
fails 2 "not SYSTEM" "a strange event" record g -e 'a b'
fails 2 "not SYSTEM" "an event behind a strange blank" record g -e $'a\v!b'
fails 2 "not SYSTEM" "no system and no event" record g -e :
fails 2 "not SYSTEM" "an event of no system" record g -e :sched_switch
fails 2 "enabled, not disabled, by -e" "an event to be disabled" record g -e '!sched'
fails 2 "not a name of a file" "an output without name" record g -o ''

vt setup g --cpus 2 > /dev/null 2>&1
dir=$tmp/guests/g
for command in record start stop status "cat g x" "set g x y"; do
	[ "${command% *}" = "$command" ] && command+=' g'
	# shellcheck disable=SC2086
	fails 1 "guest g: QEMU is not running: nobody has .*agent-ctl-path.in open" \
		"${command%% *} without QEMU" $command
done
cd "$tmp" || exit

# QEMU holds its ends open for reading and writing, as here.
exec 5<> "$dir/agent-ctl-path.in" 6<> "$dir/trace-path-cpu0.out" 7<> "$dir/trace-path-cpu1.out"
fails 1 "the order was not taken: is trace-agent running in the guest" "start without agent" \
	start g
fails 1 "has no agent-fs-path" "cat without agent-fs-path" cat g trace
like "$(vt status g)" "no agent-fs-path" "status knows the way of 2012"
fails 1 "can only be changed through agent-fs-path" "settings without agent-fs-path" \
	record g -e sched
fails 1 "make directory /nonexistent/raw" "a directory that can't be made" \
	record g -o /nonexistent/raw

agent_2012 &
agent_pid=$!
said=$(vt record g -q --duration 300ms -o raw 2>&1)
is $? 3 "the way of 2012 records, without a ledger" || diag "$said"
wait $agent_pid
is "$(stat -c %s raw/cpu0.raw) $(stat -c %s raw/cpu1.raw)" "10000 2000" \
	"what came before and after the order to stop is there"
like "$said" "can't be had without agent-fs-path" "and the ledger is said to be open"

(flock 8; : > "$tmp/locked"; sleep 2) 8< "$dir" &
lock_pid=$!
while [ ! -e "$tmp/locked" ]; do sleep 0.05; done
fails 1 "another virtio-trace is at work with it" "a guest in use" status g
kill $lock_pid

rm "$dir/trace-path-cpu1.out"
touch "$dir/trace-path-cpu1.out"
fails 1 "trace-path-cpu1.out: not a FIFO" "a file in the place of a FIFO" record g

tap_done
