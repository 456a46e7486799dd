#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the sanitizers find anything in an agent at work in a real guest?
#
# The agent is built with them and therefore not static: its libraries go along.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/relay-lib.sh
. "$tests_here/relay-lib.sh"

export VIRTIO_TRACE_DIR=$vm_tmp

# "--file LIB:PATH" for every library the program needs.
libraries()
{
	ldd "$1" | awk '/=> \// { print $3 } $1 ~ /^\// { print $1 }' | while read -r lib; do
		printf '%s\n' --file "$(readlink -f "$lib"):$lib"
	done
}

# What there is to do: relays in bursts, the server under two clients in turn, a record.
work()
{
	local i

	vm_run "echo 1408 > $tracing/buffer_size_kb"
	agent_start -l 500ms
	ports_open 2
	for i in 1 2 3; do
		order 1
		vm_run -t 120 "marker $tracing/trace_marker 2 $(((i - 1) * 3000)) 3000"
		order 0
	done
	ports_quiet
	ports_close
	markers_arrived 4096 2 0 9000 > "$tmp/out"
	ok $? "$1: every marker arrives" || cat "$tmp/out"
	"$host" cat "$vm_name" events/header_event > "$tmp/out" 2>&1
	ok $? "$1: the server answers" || cat "$tmp/out"
	"$host" set "$vm_name" current_tracer nonsense > "$tmp/out" 2>&1
	is $? 1 "$1: and refuses"
	"$host" record "$vm_name" -q -o "$tmp/san.dat" -e sched --duration 2 --timeout 60s > "$tmp/out" 2>&1
	ok $? "$1: it records" || cat "$tmp/out"
	order 1
	vm_run 'kill $(pidof trace-agent)'
}

sanitized()
{
	local san=$1 settings=$2 program=$BUILD/tests/$1/trace-agent libs

	[ -x "$program" ] || { skip "agent under $san" "$program is not built"; return; }
	mapfile -t libs < <(libraries "$program")
	vm_start "$san" --cpus 2 --memory 1536 --file "$program" "${libs[@]}" \
		--file "$BUILD/tests/programs/marker" || { ok 1 "$san: the guest boots"; return; }
	vm_run "echo 'export $settings' > /tmp/env; mv /bin/trace-agent /bin/agent-$san
		printf '#!/bin/sh\\n. /tmp/env\\nexec -a trace-agent /bin/agent-$san \"\$@\"\\n' \
			> /bin/trace-agent; chmod +x /bin/trace-agent"
	work "$san"
	vm_run 'for i in $(seq 100); do pidof trace-agent > /dev/null || break; sleep 0.1; done
		cat /tmp/agent.log' > "$tmp/log"
	! grep -q 'Sanitizer\|runtime error' "$tmp/log"
	ok $? "$san: nothing is found" || cat "$tmp/log"
	guest_end "$san"
}

sanitized tsan TSAN_OPTIONS=halt_on_error=0
sanitized asan ASAN_OPTIONS=detect_leaks=0
tap_done
