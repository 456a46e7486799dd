# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How does the selftest of virtio_console get its guest and its ports? Sourced after vm/lib.sh.
#
#   echo_build                    compile it, into $echo_program, and its peer on the host
#   echo_start NAME KERNEL [DEVICE-OPTIONS [KERNEL-PARAMETERS]]
#                                 boot a kernel, by name or image, with a device of its own for
#                                 the ports: selftest.echo, whose host side sends back what it
#                                 gets, selftest.absent, to which nobody is connected, and
#                                 selftest.peer with selftest.orders for the selftest's peer
#   echo_run [OPTION]... TEST...  run tests in it, as TAP
#   echo_faults                   can the kernel have allocations fail?
#   echo_stop                     end it, console checked
#   echo_end                      end what was there for it on the host, if it ended otherwise
#
# echo_seconds is how long echo_run waits for all its tests. A kernel with "debug" in its name
# is taken to be slower, and gets more time for everything.

echo_here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
echo_source=$echo_here/tools/testing/selftests/drivers/virtio_console
echo_program=$BUILD/tests/programs/virtio_console-splice
echo_peer=$BUILD/tests/programs/virtio_console-peer
echo_seconds=600
echo_slowness=1
echo_hosts=()

echo_build()
{
	local sources=()
	mapfile -t sources < <(find "$echo_source" -name '*.c' ! -name peer.c)

	mkdir -p "$(dirname "$echo_program")"
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE= -O2 -Wall -static -pthread -o "$echo_program" \
		"${sources[@]}" &&
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE= -O2 -Wall -o "$echo_peer" "$echo_source/peer.c"
}

echo_start()
{
	local name=$1 kernel=$2 options=${3:-} append=${4:-} dir status=0
	# shellcheck disable=SC2154
	dir=$(mktemp -d "$vm_tmp/echo.XXXXXX")

	echo_slowness=1
	[[ $kernel != *debug* ]] || echo_slowness=6
	mkfifo "$dir/echo.in" "$dir/echo.out"
	cat < "$dir/echo.out" > "$dir/echo.in" &
	echo_hosts=($!)
	"$echo_peer" "$dir/peer" "$dir/orders" &
	echo_hosts+=($!)
	vm_start "$name" --file "$echo_program:/bin/splice_test" --kernel "$kernel" --cpus 2 \
		--timeout $((1200 * echo_slowness)) --no-fs --no-ctl --trace-cpus 0 \
		--append "$append" -- \
		-device "virtio-serial-pci,id=echo,max_ports=8${options:+,$options}" \
		-chardev "pipe,id=selftest-echo,path=$dir/echo" \
		-device virtserialport,bus=echo.0,nr=1,chardev=selftest-echo,name=selftest.echo \
		-chardev "socket,id=selftest-absent,path=$dir/absent,server=on,wait=off" \
		-device virtserialport,bus=echo.0,nr=2,chardev=selftest-absent,name=selftest.absent \
		-chardev "socket,id=selftest-peer,path=$dir/peer,server=on,wait=off" \
		-device virtserialport,bus=echo.0,nr=3,chardev=selftest-peer,name=selftest.peer \
		-chardev "socket,id=selftest-orders,path=$dir/orders,server=on,wait=off" \
		-device virtserialport,bus=echo.0,nr=4,chardev=selftest-orders,name=selftest.orders ||
		status=$?
	# Nobody opens the other ends of its FIFOs then.
	[ $status = 0 ] || echo_end
	return $status
}

echo_run()
{
	vm_run -t $((echo_seconds * echo_slowness)) "splice_test -t $echo_slowness $*"
}

echo_faults()
{
	vm_run "test -e /sys/kernel/debug/failslab && test -e /proc/self/fail-nth"
}

echo_end()
{
	[ ${#echo_hosts[@]} = 0 ] || {
		kill "${echo_hosts[@]}"
		wait "${echo_hosts[@]}"
	} 2> /dev/null
	echo_hosts=()
}

echo_stop()
{
	local status=0

	vm_stop || status=$?
	echo_end
	return $status
}
