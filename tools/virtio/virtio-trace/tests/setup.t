#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does setup make a guest's directory, and do QEMU and libvirt take what it prints?
# shellcheck source=tools/virtio/virtio-trace/tests/tap.sh
. "$(dirname "$0")/tap.sh"
export VIRTIO_TRACE_DIR=$tmp/guests

# shellcheck disable=SC2154
setup()
{
	"$host" setup "$@"
}

qemu_takes()
{
	timeout 20 qemu-system-x86_64 -machine q35 -display none -nodefaults -S "$@" \
		-qmp stdio <<< '{"execute":"qmp_capabilities"}{"execute":"quit"}' 2>&1
}

libvirt_takes()
{
	local schema=/usr/share/libvirt/schemas/domain.rng

	{
		echo "<domain type='kvm'><name>g</name><memory>65536</memory>"
		echo "<os><type>hvm</type></os><devices>"
		cat
		echo "</devices></domain>"
	} > "$tmp/domain.xml"
	xmllint --noout --relaxng "${LIBVIRT_SCHEMA:-$schema}" "$tmp/domain.xml" 2>&1
}

made=$(setup web1 --cpus 2 2> "$tmp/said")
is $? 0 "setup succeeds"
like "$(cat "$tmp/said")" "web1: 6 FIFOs made, 0 were there" "it tells what it made"
is "$(find "$tmp/guests/web1" -type p | wc -l)" 6 "there are six FIFOs"
is "$(stat -c %a "$tmp/guests/web1" "$tmp/guests/web1/agent-ctl-path.in" | tr '\n' ' ')" \
	"770 660 " "which are not for others"
is "$(grep -c '^-device virtserialport' <<< "$made")" 4 "QEMU is to make four ports"

made=$(setup wide --cpus 70 2> /dev/null)
is "$(grep -oE 'bus=[^,]*' <<< "$made" | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" \
	"15 15 15 15 12 " "no device has more ports than QEMU opens for sure"
is "$(setup wide --cpus 70 --libvirt 2> /dev/null | grep -c '<controller')" 5 \
	"the same holds for libvirt's controllers"

made=$(setup web1 --cpus 2 2> /dev/null)
again=$(setup web1 --cpus 2 2> "$tmp/said")
like "$(cat "$tmp/said")" "0 FIFOs made, 6 were there" "a second time nothing is made"
is "$again" "$made" "and the same is printed"

if command -v qemu-system-x86_64 > /dev/null; then
	# shellcheck disable=SC2046
	like "$(qemu_takes $(setup web1 --cpus 2 2> /dev/null))" '"return"' \
		"QEMU takes the arguments"
	# shellcheck disable=SC2046
	like "$(qemu_takes $(setup many --cpus 70 2> /dev/null))" '"return"' \
		"and those of many CPUs"
	eval "set -- $(setup "$tmp/it's, a guest" --cpus 1 2> /dev/null | tr '\n' ' ')"
	like "$(qemu_takes "$@")" '"return"' "and those of a strange path, by way of eval"
else
	skip "QEMU takes the arguments" "qemu-system-x86_64 is not installed"
fi

if [ ! -f "${LIBVIRT_SCHEMA:-/usr/share/libvirt/schemas/domain.rng}" ]; then
	skip "libvirt's schema takes the elements" "libvirt is not installed"
elif ! command -v xmllint > /dev/null; then
	skip "libvirt's schema takes the elements" "xmllint is not installed"
else
	said=$(setup web1 --cpus 70 --libvirt 2> /dev/null | libvirt_takes)
	is $? 0 "libvirt's schema takes the elements" || diag "$said"
	said=$(setup "$tmp/a&b<'c" --cpus 1 --libvirt 2> /dev/null | libvirt_takes)
	is $? 0 "and those of a strange path" || diag "$said"
fi

is "$(setup web1 --cpus 2 --no-fs 2> /dev/null | grep -c agent-fs-path)" 0 \
	"agent-fs-path may be left out"

touch "$tmp/guests/web1/trace-path-cpu70.in"
said=$(setup web1 --cpus 71 2>&1 > /dev/null)
is $? 1 "a file in the place of a FIFO is a failure"
like "$said" "trace-path-cpu70.in: is there and is not a FIFO" "which is named"

said=$(setup web2 2>&1)
is $? 2 "without --cpus it is wrong usage"
like "$said" "--cpus N is needed" "and told"
setup web2 --cpus 0 2> /dev/null
is $? 2 "no CPU at all is wrong"
setup web2 --cpus 4097 2> /dev/null
is $? 2 "so are too many"
said=$(setup web2 --cpus 1 --owner nobody-of-that-name 2>&1)
is $? 2 "an unknown owner is wrong"
like "$said" "no such user: nobody-of-that-name" "and told"
for owner in 99999999999999 4294967295 0:99999999999999999999999 -1; do
	said=$(setup web2 --cpus 1 --owner $owner 2>&1)
	is $? 2 "an owner of number $owner is wrong"
	like "$said" "no such (user|group): ${owner#*:}" "and told"
done
said=$(setup $'web\n2' --cpus 1 2>&1)
is $? 2 "a name of two lines is none"
like "$said" "can't have control characters" "which is told"
said=$(setup web2 --cpus 1 -d "$tmp/"$'\e[1m' 2>&1)
is $? 2 "nor is a directory with strange characters one"
[ ! -e "$tmp/guests/web2" ]
ok $? "nothing of all that is made"
said=$(setup .. --cpus 1 2>&1)
is $? 2 "not every word is a name"
like "$(setup --help)" "^Usage: virtio-trace setup" "--help tells the usage"

tap_done
