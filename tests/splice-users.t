#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does who else splices from the ring buffer get from a patched kernel what he gets from a stock one?
#
# trace-cmd records in the guest, into a file, without any of our programs. What splice() to a
# file, a socket and FUSE yields is held by the selftest ring-buffer/splice_test, by content.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

tracing=/sys/kernel/tracing
count=20000

# --file options that bring a dynamic program and what it is linked with into a guest.
program_files()
{
	local program path
	program=$(command -v "$1")

	echo --file "$program:/bin/${program##*/}"
	ldd "$program" | grep -o '/[^ ]*' | while read -r path; do
		echo --file "$path:$path"
	done
}

# Lines "CPU markers", or what is wrong with their order.
markers_check()
{
	awk '!match($0, /\[[0-9]+\]/) { next }
		{ cpu = substr($0, RSTART + 1, RLENGTH - 2) + 0 }
		$(NF - 2) == "seq" {
			if ($(NF - 1) != cpu || $NF != next_seq[cpu]++)
				print "cpu" cpu ": " $0
		}
		END { for (cpu in next_seq) print cpu, next_seq[cpu] }'
}

# How many events the ring has overwritten, from the counters in the file. Those of what is left
# and what was read don't tell how many must be in the file: on stock kernels, too, a few hundred
# are said to have been read now and then that are not in it, though every marker is.
ring_overrun()
{
	trace-cmd report --stat -i "$dat" 2> /dev/null |
		awk -F': *' '$1 == "overrun" { n += $2 } END { print n + 0 }'
}

# trace-cmd records with the sub-buffers $1 KiB large.
test_subbuf()
{
	local kib=$1 what="$kernel, $1 KiB" dat=$tmp/guest.dat

	vm_run "echo $kib > $tracing/buffer_subbuf_size_kb; echo 8192 > $tracing/buffer_size_kb
		echo > $tracing/trace"
	vm_run -t 120 "cd /tmp && trace-cmd record -e sched -o /tmp/t.dat \
		marker $tracing/trace_marker 2 0 $count > /tmp/log 2>&1" || vm_run 'cat /tmp/log'
	vm_run -t 120 'base64 /tmp/t.dat; rm /tmp/t.dat' | base64 -d > "$dat"
	trace-cmd report -i "$dat" > "$tmp/report" 2> "$tmp/err"
	ok $? "$what: trace-cmd reads what trace-cmd recorded" || cat "$tmp/err"
	is "$(markers_check < "$tmp/report" | sort)" "0 $count"$'\n'"1 $count" \
		"$what: every marker is there, once, in order"
	grep -q sched_switch "$tmp/report"
	ok $? "$what: sched events among them"
	is "$(ring_overrun)" 0 "$what: none overwritten"
}

kernel_test()
{
	local kib files
	kernel=$1
	read -ra files <<< "$(program_files trace-cmd | tr '\n' ' ')"

	guest_start "$kernel" --kernel "$kernel" --cpus 2 --memory 1024 \
		--file "$BUILD/tests/programs/marker" "${files[@]}" ||
		{ ok 1 "$kernel boots"; return; }
	for kib in 4 64; do
		test_subbuf $kib
	done
	guest_end "$kernel"
}

for kernel in ${SPLICE_KERNELS:-stock-6.12 patched-6.12}; do
	kernel_test "$kernel"
done
tap_done
