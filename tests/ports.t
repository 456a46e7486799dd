#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does data flow with more ports than one virtio-serial device has?
#
# 40 CPUs' ports lie on several devices; the last CPU of the guest has its on the last.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

export VIRTIO_TRACE_DIR=$vm_tmp

guest_start many --cpus 2 --trace-cpus 40 || { ok 1 "the guest boots"; tap_done; exit; }
vm_run 'trace-agent --daemon'
"$host" record "$vm_name" -q -o "$tmp/many.dat" -e sched --duration 2 > "$tmp/out" 2>&1
ok $? "a guest with 40 trace ports is recorded" || cat "$tmp/out"
is "$("$host" report -i "$tmp/many.dat" --stat | grep -c '^cpu[01] events=[1-9]')" 2 \
	"events of both its CPUs arrive"

# The last ports carry data, too: the guest writes into them by hand.
vm_run 'kill $(pidof trace-agent); sleep 0.5'
for port in 14 15 30 39; do
	cat "$(vm_dir)/trace-path-cpu$port.out" > "$tmp/port" &
	reader=$!
	vm_run "echo through $port > /dev/virtio-ports/trace-path-cpu$port"
	sleep 0.3
	kill $reader
	wait $reader 2> /dev/null
	is "$(< "$tmp/port")" "through $port" "port $port carries data"
done
guest_end many
tap_done
