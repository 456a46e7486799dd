#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Do the programs and their manual pages tell of the same options, words and exit statuses?
# shellcheck source=tools/virtio/virtio-trace/tests/tap.sh
. "$(dirname "$0")/tap.sh"

pages=$tap_root/Documentation/tools/virtio-trace

# "-o, --output FILE": what stands before two spaces.
help_options()
{
	sed -nE 's/^ +(-[^ ]+( [^ ]+)*)(  .*)?$/\1/p' | sort -u
}

help_usage()
{
	sed -nE 's/^(Usage:|      ) (trace-agent|virtio-trace)/\2/p'
}

# An option stands at the beginning of a line, in bold face.
page_options()
{
	sed -nE '/^\*\*-/{ s/[*]//g; p }' "$pages/$1.rst" | sort -u
}

page_section()
{
	awk -v want="$2" 'NR > 1 && /^===/ { inside = last == want } inside { print last }
		{ last = $0 }' "$pages/$1.rst"
}

page_synopsis()
{
	page_section "$1" SYNOPSIS | sed -nE '/^\*\*/{ s/[*]//g; p }'
}

page_statuses()
{
	page_section "$1" "EXIT STATUS" | grep -oE '\*\*[0-9]\*\*' | tr -d '*\n'
}

# A page, the program, and its commands: none, or those the page is about.
page_test()
{
	local page=$1 program=$2 command
	shift 2

	for command in "${@:-}"; do
		# shellcheck disable=SC2086
		"$program" $command --help
	done > "$tmp/help"
	is "$(page_options "$page")" "$(help_options < "$tmp/help")" "$page: the options of --help"
	is "$(page_synopsis "$page")" "$(help_usage < "$tmp/help")" "$page: the synopsis of --help"
}

# The page names exactly these statuses.
statuses_test()
{
	is "$(page_statuses "$1")" "$2" "$1: the exit statuses"
}

status_test()
{
	local want=$1 name=$2
	shift 2

	"$@" > /dev/null 2>&1
	is $? "$want" "$name"
}

page_test trace-agent "$agent"
page_test virtio-trace "$host"
page_test virtio-trace-setup "$host" setup
page_test virtio-trace-record "$host" record
page_test virtio-trace-report "$host" report
page_test virtio-trace-control "$host" start stop status cat set

is "$(page_section virtio-trace COMMANDS | sed -nE '/^\*\*/{ s/[*,]//g; p }' | tr ' ' '\n' | sort)" \
	"$("$host" --help | sed -nE '/^Commands/,/^$/s/^  ([a-z]+) .*/\1/p' | sort)" \
	"virtio-trace: the commands of --help"

statuses_test trace-agent 012
statuses_test virtio-trace 0123
statuses_test virtio-trace-record 0123
for page in setup report control; do
	statuses_test "virtio-trace-$page" 012
done

status_test 0 "trace-agent: exit status of --version" "$agent" --version
status_test 2 "trace-agent: exit status of wrong usage" "$agent" --no-such-option
for command in setup record report start stop status cat set; do
	status_test 0 "$command: exit status of --help" "$host" $command --help
	status_test 2 "$command: exit status of wrong usage" "$host" $command --no-such-option
done
for words in "record nobody" "start nobody" "stop nobody" "status nobody" "cat nobody trace" \
	"set nobody trace 0"; do
	# shellcheck disable=SC2086
	status_test 1 "${words%% *}: exit status when there is no such guest" "$host" $words -d "$tmp"
done
status_test 1 "report: exit status when there is no such file" "$host" report "$tmp/none"
status_test 1 "setup: exit status when the directory can't be made" \
	"$host" setup --cpus 1 /dev/null/guest
tap_done
