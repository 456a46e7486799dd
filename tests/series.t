#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does `make series` give what a maintainer can take, and `make check-series` tell what he can't?
#
# Only whether git takes the patches is tried here: what else check-series does takes minutes.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

root=$(cd "$tests_here/.." && pwd)
parts=$tmp/parts

# A copy of the series' parts, to be spoilt.
parts_copy()
{
	rm -rf "$parts"
	cp -r "$root/patches/linux-6.12" "$parts"
}

# What check-series is to find wrong, and what it must say.
refused()
{
	local what=$1 want=$2

	PATCHES=$parts CHECK_SERIES=$tmp/check "$root/scripts/check-series" apply > "$tmp/out" 2>&1
	[ $? = 1 ] && grep -qF -- "$want" "$tmp/out"
	ok $? "$what" || diag "$(tail -n 20 "$tmp/out")"
}

# The first patch, as it is told by its name.
first=$(cd "$root/patches/linux-6.12" && ls 0001-*.patch)

parts_copy
PATCHES=$parts CHECK_SERIES=$tmp/check "$root/scripts/check-series" apply > "$tmp/out" 2>&1
ok $? "git takes every patch, and ends at files equal to ours" || diag "$(tail -n 20 "$tmp/out")"
series=$tmp/check/patches
cover=$series/0000-cover-letter.patch

is "$(grep -l '^Signed-off-by:' "$series"/*.patch)" "" "no patch is signed off: its sender does that"
is "$(grep -n '^@' "$cover")" "" "nothing in the cover letter waits to be filled in"
like "$(cat "$series"/*replace-the-agent.patch)" "20230819104257.80203c3916509cc9eb9327c1" \
	"the earlier fix of the agent is named"
like "$(cat "$series"/*replace-the-agent.patch)" "deleted file mode [0-9]+"$'\n'".*trace-agent-rw.c" \
	"the files of the agent of 2012 are removed"

printf 'kernel\tinstr_per_4k\nplain-6.12\t4321\n' > "$tmp/cost.tsv"
sed -i "s|^@table .*page-cost.tsv.*@|@table $tmp/cost.tsv@|" "$parts"/0000-*.patch
PATCHES=$parts "$root/scripts/series" "$tmp/filled" > "$tmp/out" 2>&1
like "$(cat "$tmp/filled/0000-cover-letter.patch")" "plain-6.12 +4321" \
	"the cover letter has the numbers that were measured"

parts_copy
sed -i "s|^@table .*page-cost.tsv.*@|@table $tmp/none.tsv@|" "$parts"/0000-*.patch
PATCHES=$parts "$root/scripts/series" "$tmp/empty" > "$tmp/out" 2>&1
like "$(cat "$tmp/empty/0000-cover-letter.patch")" "not measured yet: $tmp/none.tsv" \
	"it says so where nothing was measured"

parts_copy
sed -i 's/^+   virtio-trace$/& /' "$parts"/*-tracing-Describe-*.owned
refused "a space at the end of a line is told with the patch's name" \
	"-Documentation-tracing-Describe-virtio-trace.patch: git am"

parts_copy
sed -i '0,/^-\t/s/^-\t.*/-\tno such line/' "$parts/$first"
refused "a patch that does not apply is told by its name" "$first: does not apply"

parts_copy
sed -i 's|^Files: tools/virtio/virtio-trace/host$|& :!tools/virtio/virtio-trace/host/cmd.h|' \
	"$parts"/*.owned
refused "a file of ours that is not in the series is told" "tools/virtio/virtio-trace/host/cmd.h"

tap_done
