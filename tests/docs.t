#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Is what README.md and the manual pages tell people to type true?
#
# An example to be run is a line that begins with "host# " or "guest# "; one that ends
# with a backslash goes on in the next. Those of a page run in order, in a directory
# and a shell of their own, with one guest called web1. Also: the pages can be formatted.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

root=$(cd "$tests_here/.." && pwd)
pages=("$root/README.md" "$root"/Documentation/tools/virtio-trace/[tv]*.rst)

examples()
{
	sed -e ':more' -e '/\\$/{ N; s/\\\n *//; b more' -e '}' "$1" |
		sed -nE 's/^ *(host|guest)# /\1 /p'
}

# The commands of a page share a shell: "cd" and "$!" hold from one to the next.
host_shell_open()
{
	mkdir -p "$tmp/$page"
	coproc SHELL_OF_HOST {
		cd "$tmp/$page" && PATH=$(dirname "$host"):$PATH VIRTIO_TRACE_DIR=$vm_tmp \
			exec bash 2>&1
	}
	# shellcheck disable=SC2153
	shell_pid=$SHELL_OF_HOST_PID
	# bash closes the coprocess's own pair when it ends; these stay.
	exec {shell_out}<&"${SHELL_OF_HOST[0]}" {shell_in}>&"${SHELL_OF_HOST[1]}"
}

host_shell_close()
{
	echo exit >&"$shell_in"
	wait "$shell_pid"
	exec {shell_in}>&- {shell_out}<&-
}

# What a command leaves running must not feed on the commands that follow.
host_run()
{
	local line

	printf '%s\n' "{ ${1//\/run\/virtio-trace/$vm_tmp}" "} < /dev/null" 'echo "%end $?"' \
		>&"$shell_in"
	while IFS= read -r -t 60 -u "$shell_out" line; do
		case $line in
		"%end "*) return "${line#%end }" ;;
		esac
		printf '%s\n' "$line"
	done
	echo "no end of it in 60 s"
	return 124
}

page_run()
{
	local where command

	host_shell_open
	while read -r where command <&3; do
		if [ "$where" = host ]; then
			host_run "$command" > "$tmp/out"
		else
			vm_run "$command" > "$tmp/out"
		fi
		ok $? "$page: $where# $command" || diag "$(tail -n 20 "$tmp/out")"
	done 3< "$tmp/examples"
	host_shell_close
}

# Each page finds no event enabled and, unless it starts one, an agent running.
page_test()
{
	vm_run 'kill $(pidof trace-agent); while pidof trace-agent; do sleep 0.1; done
		echo 0 > /sys/kernel/tracing/events/enable' > /dev/null
	grep -q '^guest trace-agent --daemon' "$tmp/examples" ||
		vm_run 'trace-agent --daemon' > /dev/null
	page_run
}

page_format()
{
	local writer out

	for writer in rst2man rst2html; do
		if ! command -v $writer > /dev/null; then
			skip "$page: $writer" "there is no $writer here"
			continue
		fi
		out=$($writer --halt=5 "$1" 2>&1 > /dev/null)
		is "$out" "" "$page: $writer has no complaints"
	done
}

guest_start web1 --cpus 2 || { ok 1 "the guest boots"; tap_done; exit; }
for path in "${pages[@]}"; do
	page=$(basename "$path")
	[ "${page%.rst}" = "$page" ] || page_format "$path"
	examples "$path" > "$tmp/examples"
	[ ! -s "$tmp/examples" ] || page_test
done
guest_end web1
tap_done
