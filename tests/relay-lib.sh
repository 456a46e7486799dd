# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How do the tests of the agent's data path read its ports and look at what arrived?
# Sourced after vm/lib.sh, with a guest started.
#
#   agent_start [OPTION]...   start trace-agent in the guest, wait until it is ready
#   agent_stop                end it, and print what it said
#   order 1|0                 give an order through the control FIFO
#   ports_open N              read the N data ports into $raw/cpuN.raw from now on
#   ports_quiet               wait until no port has brought anything for a while
#   ports_close               read no more
#   markers_arrived SIZE N FIRST COUNT
#                             did each of N CPUs' markers arrive, once and in order?

# shellcheck disable=SC2154
raw=$vm_tmp/raw
readers=()
# shellcheck disable=SC2034
tracing=/sys/kernel/tracing

agent_start()
{
	vm_run "trace-agent -v $* < /dev/null > /tmp/agent.log 2>&1 &
		for i in \$(seq 100); do
			grep -qs agent-ctl /proc/\$!/fdinfo/* 2> /dev/null
			[ \$(ls /proc/\$!/task 2> /dev/null | wc -l) -gt 2 ] && sleep 0.3 && exit 0
			sleep 0.1
		done
		cat /tmp/agent.log; exit 1"
}

agent_stop()
{
	vm_run 'pid=$(pidof trace-agent) || exit 1; kill $pid
		for i in $(seq 100); do [ -d /proc/$pid ] || break; sleep 0.1; done
		cat /tmp/agent.log; [ ! -d /proc/$pid ]'
}

order()
{
	printf '%s\n' "$1" > "$(vm_dir)/agent-ctl-path.in"
}

ports_open()
{
	local cpu

	rm -rf "$raw"
	mkdir -p "$raw"
	for ((cpu = 0; cpu < $1; cpu++)); do
		cat "$(vm_dir)/trace-path-cpu$cpu.out" > "$raw/cpu$cpu.raw" &
		readers+=($!)
	done
}

ports_bytes()
{
	cat "$raw"/cpu*.raw | wc -c
}

ports_quiet()
{
	local before=-1 now still=0

	while [ $still -lt 5 ]; do
		now=$(ports_bytes)
		if [ "$now" = "$before" ]; then still=$((still + 1)); else still=0; fi
		before=$now
		sleep 0.2
	done
}

ports_close()
{
	[ ${#readers[@]} = 0 ] || { kill "${readers[@]}"; wait "${readers[@]}" 2> /dev/null; }
	readers=()
}

markers_arrived()
{
	local size=$1 cpus=$2 first=$3 count=$4 cpu status=0

	for ((cpu = 0; cpu < cpus; cpu++)); do
		"$BUILD/tests/programs/marker-check" "$size" "$cpu" "$first" "$count" \
			< "$raw/cpu$cpu.raw" | sed "s/^/# cpu$cpu: /"
		[ "${PIPESTATUS[0]}" = 0 ] || status=1
	done
	return $status
}
