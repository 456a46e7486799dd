# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How does the selftest of virtio_console get its guest and its ports? Sourced after vm/lib.sh.
#
#   echo_build                    compile it, into $echo_program
#   echo_start NAME KERNEL [DEVICE-OPTIONS [KERNEL-PARAMETERS]]
#                                 boot a kernel, by name or image, with a device of its own for
#                                 the ports: selftest.echo, whose host side sends back what it
#                                 gets, and selftest.absent, to which nobody is connected
#   echo_run TEST...              run tests in it, as TAP
#   echo_stop                     end it, console checked

echo_here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
echo_source=$echo_here/tools/testing/selftests/drivers/virtio_console
echo_program=$BUILD/tests/programs/virtio_console-splice
echo_relay=''

echo_build()
{
	mkdir -p "$(dirname "$echo_program")"
	"${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE= -O2 -Wall -static -pthread -o "$echo_program" \
		"$echo_source"/*.c
}

echo_start()
{
	local name=$1 kernel=$2 options=${3:-} append=${4:-} dir status=0
	# shellcheck disable=SC2154
	dir=$(mktemp -d "$vm_tmp/echo.XXXXXX")

	mkfifo "$dir/echo.in" "$dir/echo.out"
	cat < "$dir/echo.out" > "$dir/echo.in" &
	echo_relay=$!
	vm_start "$name" --file "$echo_program:/bin/splice_test" --kernel "$kernel" --cpus 2 \
		--no-fs --no-ctl --trace-cpus 0 --append "$append" -- \
		-device "virtio-serial-pci,id=echo,max_ports=4${options:+,$options}" \
		-chardev "pipe,id=selftest-echo,path=$dir/echo" \
		-device virtserialport,bus=echo.0,nr=1,chardev=selftest-echo,name=selftest.echo \
		-chardev "socket,id=selftest-absent,path=$dir/absent,server=on,wait=off" \
		-device virtserialport,bus=echo.0,nr=2,chardev=selftest-absent,name=selftest.absent ||
		status=$?
	# Nobody opens the other ends of its FIFOs then.
	[ $status = 0 ] || kill "$echo_relay"
	return $status
}

echo_run()
{
	vm_run -t 400 "splice_test $*"
}

echo_stop()
{
	local status=0

	kill "$echo_relay" 2> /dev/null
	vm_stop || status=$?
	wait "$echo_relay" 2> /dev/null
	return $status
}
