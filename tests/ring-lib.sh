# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# How does the selftest of splicing from the ring buffer get into a guest? Sourced after vm/lib.sh.
#
#   ring_build                      compile it, into $ring_program
#   ring_start NAME KERNEL [OPTION]...
#                                   vm_start with it, where freed memory is poisoned
#   ring_run SECONDS [OPTION]...    run it, as lines "TEST SIZE pass|skip|FAIL"

ring_here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ring_program=$BUILD/tests/programs/ring-buffer-splice

# The harness of selftests and the newest of the kernel's own headers are in its sources.
ring_build()
{
	local tests=tools/testing/selftests/ring-buffer tree
	# shellcheck source=vm/debs.sh
	. "$ring_here/vm/debs.sh"
	# shellcheck source=vm/sources.sh
	. "$ring_here/vm/sources.sh"

	tree=$(sources_plain 6.12) || return
	mkdir -p "$(dirname "$ring_program")"
	"${CC:-gcc}" -std=gnu11 -O2 -static -pthread -iquote "$tree/$tests" \
		-idirafter "$tree/include/uapi" -o "$ring_program" "$ring_here/$tests"/*.c
}

ring_start()
{
	local name=$1 kernel=$2
	shift 2

	vm_start "$name" --kernel "$kernel" --file "$ring_program:/bin/splice_test" --cpus 2 \
		--memory 1024 --append slub_debug=FP "$@"
}

ring_run()
{
	local seconds=$1
	shift

	vm_run -t "$seconds" "splice_test $*" | sed -nE '
		s/^ok [0-9]+ splice\.([0-9]+k)\.([a-z_]+) # SKIP.*/\2 \1 skip/p; t
		s/^ok [0-9]+ splice\.([0-9]+k)\.([a-z_]+).*/\2 \1 pass/p; t
		s/^not ok [0-9]+ splice\.([0-9]+k)\.([a-z_]+).*/\2 \1 FAIL/p'
}
