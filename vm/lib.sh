# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How does a script on the host use guests? Sourced; the functions are
#
#   vm_start NAME [--file FILE[:PATH]]... [vm/boot's options] [-- QEMU-ARGUMENT...]
#                          boot, and wait until the guest obeys; it becomes the current one
#   vm_use NAME            make another guest the current one
#   vm_run [-t SECONDS] COMMAND
#                          run a shell command in it: prints the output, returns the status;
#                          124 too late (60 s), 125 the guest is gone
#   vm_put FILE [PATH]     copy a file into it, with its mode
#   vm_stop                have it power off within 30 s; returns the status of vm/boot
#   vm_kill                cut its power
#   vm_wait                wait until it has ended by itself; the status of vm/boot
#   vm_alive               is it running?
#   vm_dir                 prints the directory with the host ends of its trace ports
#   vm_console             prints the path of its console
#   vm_check_console       fails and prints the lines if that shows a fault of the kernel
#   vm_leaks               print what kmemleak finds in it, if the kernel has that
#
# What a command leaves running in the guest must have its output redirected,
# or it ends up in that of later commands. Guests end with the script.

vm_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILD=${BUILD:-$(dirname "$vm_here")/build}
export BUILD

# Sockets must have short paths, and build/ may lie deep.
vm_tmp=$(mktemp -d "${TMPDIR:-/tmp}/vm.XXXXXX")
vm_name=''
declare -A vm_pid vm_in vm_out

vm_say()
{
	echo "vm: $vm_name: $*" >&2
}

vm_dir()
{
	echo "$vm_tmp/$vm_name"
}

vm_console()
{
	echo "$BUILD/vm/$(basename "$0" .t)-$vm_name.console"
}

vm_use()
{
	vm_name=$1
}

vm_alive()
{
	[ -n "${vm_pid[$vm_name]:-}" ] && kill -0 "${vm_pid[$vm_name]}" 2> /dev/null
}

# One line of the guest's in vm_line, waiting until $SECONDS is $1.
vm_read_line()
{
	local until=$1 part status

	vm_line=
	while :; do
		status=0
		IFS= read -r -t 0.5 -u "${vm_out[$vm_name]}" part || status=$?
		vm_line+=$part
		[ $status != 0 ] || return 0
		vm_alive || return 125
		[ "$SECONDS" -lt "$until" ] || return 124
	done
}

vm_skip_until()
{
	local line=$1 until=$2

	while vm_read_line "$until" || return; do
		[ "$vm_line" != "$line" ] || return 0
	done
}

# The guest ends the output with a newline of its own, so that the last line is
# known to be whole or not: each line is printed when the next one has come.
vm_output()
{
	local id=$1 until=$2 held=''

	while vm_read_line "$until" || return; do
		case $vm_line in
		"%vm end $id "*)
			[ "$held" = '' ] || printf %s "${held#?}"
			return "${vm_line##* }" ;;
		esac
		[ "$held" = '' ] || printf '%s\n' "${held#?}"
		held=+$vm_line
	done
}

# Sends one order; what follows it on the wire comes from standard input.
vm_order()
{
	local until=$((SECONDS + $1)) id=$RANDOM$RANDOM status=0
	shift

	vm_alive || { vm_say "is not running"; return 125; }
	{ printf '%s\n' "$id $*"; cat; } >&"${vm_in[$vm_name]}"
	vm_skip_until "%vm begin $id" "$until" || status=$?
	[ $status != 0 ] || vm_output "$id" "$until" || status=$?
	case $status in
	124) vm_say "no end of '$1' in time" ;;
	125) vm_say "is gone in the middle of '$1'" ;;
	esac
	return $status
}

vm_run()
{
	local seconds=60

	if [ "$1" = -t ]; then
		seconds=$2
		shift 2
	fi
	vm_order "$seconds" run "$(base64 -w 0 <<< "$1")" < /dev/null
}

vm_put()
{
	local path=${2:-/bin/$(basename "$1")} mode_size
	mode_size=$(stat -c '%a %s' "$1") || return

	vm_order 60 put "$path" "$mode_size" < "$1"
}

vm_start()
{
	local dir console files=() options=() initrd kernel=stock-6.12
	vm_name=$1
	shift

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		case $1 in
		--file) files+=("$2"); shift ;;
		--kernel) kernel=$2; shift ;;
		*) options+=("$1") ;;
		esac
		shift
	done
	dir=$(vm_dir) console=$(vm_console) initrd=$vm_tmp/$vm_name.cpio
	mkdir -p "$dir"
	"$vm_here/image" "$initrd" --kernel "$kernel" "${files[@]}" || return 2
	vm_launch "$dir" --kernel "$kernel" --initrd "$initrd" --control "$dir" --trace-dir "$dir" \
		--console "$console" --timeout 600 "${options[@]}" "$@"
}

vm_launch()
{
	local dir=$1 in out end
	shift

	for end in in out; do
		[ -p "$dir/vm-control.$end" ] || mkfifo "$dir/vm-control.$end"
	done
	exec {in}<> "$dir/vm-control.in" {out}<> "$dir/vm-control.out"
	vm_in[$vm_name]=$in
	vm_out[$vm_name]=$out
	"$vm_here/boot" "$@" &
	vm_pid[$vm_name]=$!
	vm_skip_until "%vm ready" $((SECONDS + 400)) || {
		vm_say "did not come up; the console is in $(vm_console)"
		vm_kill
		return 1
	}
}

vm_wait()
{
	local status=0

	[ -n "${vm_pid[$vm_name]:-}" ] || return 0
	wait "${vm_pid[$vm_name]}" || status=$?
	vm_close
	return $status
}

vm_close()
{
	local in=${vm_in[$vm_name]} out=${vm_out[$vm_name]}

	exec {in}>&- {out}>&-
	unset "vm_pid[$vm_name]"
}

vm_stop()
{
	local tries=300

	vm_alive && printf 'end off\n' >&"${vm_in[$vm_name]}"
	while vm_alive && [ $((tries -= 1)) -gt 0 ]; do
		sleep 0.1
	done
	vm_alive || { vm_wait; return; }
	vm_say "does not power off; the console is in $(vm_console)"
	vm_kill
	return 124
}

vm_kill()
{
	[ -n "${vm_pid[$vm_name]:-}" ] || return 0
	kill "${vm_pid[$vm_name]}" 2> /dev/null
	vm_wait 2> /dev/null
	return 0
}

vm_check_console()
{
	"$vm_here/console-check" "$(vm_console)"
}

# What was lost a moment ago is not told yet, and what was freed may still be in registers.
vm_leaks()
{
	vm_run -t 300 "cd /sys/kernel/debug && [ -e kmemleak ] || exit 0
		sleep 6
		for i in 1 2 3; do echo scan > kmemleak; sleep 2; done
		cat kmemleak"
}

vm_cleanup()
{
	for vm_name in "${!vm_pid[@]}"; do
		vm_kill
	done
	rm -rf "$vm_tmp"
}

trap vm_cleanup EXIT
trap 'exit 143' TERM INT HUP PIPE
