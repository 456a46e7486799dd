#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does libvirt take what `virtio-trace setup --libvirt` prints, and does the guest record?
#
# virt-qemu-run runs one domain with libvirt's QEMU driver and no daemon. It does so
# as nobody: as root it insists on the users that libvirt's daemon brings.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

command -v virt-qemu-run > /dev/null || skip_all "virt-qemu-run is not installed"
as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)

dir=$vm_tmp/lv
guest=$dir/guest
mkdir -p "$dir/embed/etc" "$guest"

# Nothing of the machine's own libvirt is used; with one guest there is nothing to isolate.
cat > "$dir/embed/etc/qemu.conf" << 'END'
security_driver = "none"
stdio_handler = "file"
END

cat > "$tmp/test" << 'END'
#!/bin/sh
trace-agent --daemon || exit 1
sleep 600
END
chmod +x "$tmp/test"
"$tests_here/../vm/image" "$dir/image.cpio" --kernel stock-6.12 "$agent" "$tmp/test:/test" || exit 1

# Nobody may look below root's home.
cp "$("$tests_here/../vm/kernels" stock-6.12)/vmlinuz" "$dir/vmlinuz" || exit 1

channels=$("$host" setup "$guest" --cpus 2 --libvirt 2> "$tmp/said")
ok $? "setup prints the elements" || cat "$tmp/said"
cat > "$dir/domain.xml" << END
<domain type='qemu'>
  <name>traced</name>
  <memory unit='MiB'>512</memory>
  <vcpu>2</vcpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    <kernel>$dir/vmlinuz</kernel>
    <initrd>$dir/image.cpio</initrd>
    <cmdline>console=ttyS0 panic=-1 vm.ports=4</cmdline>
  </os>
  <cpu mode='maximum'/>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
    <serial type='file'><source path='$dir/console'/></serial>
    $channels
  </devices>
</domain>
END
chmod 755 "$vm_tmp"
[ "$(id -u)" != 0 ] || chown -R 65534:65534 "$dir"
HOME=$dir XDG_RUNTIME_DIR=$dir "${as_nobody[@]}" virt-qemu-run --root="$dir/embed" \
	"$dir/domain.xml" > "$tmp/libvirt.log" 2>&1 &
run=$!
end()
{
	kill -INT $run 2> /dev/null && wait $run
	vm_cleanup
	rm -rf "$tmp"
}
trap end EXIT

for _ in $(seq 600); do
	"$host" status "$guest" --timeout 1s > "$tmp/status" 2>&1 && break
	kill -0 $run 2> /dev/null || break
	sleep 0.1
done
like "$(< "$tmp/status")" "order: stopped" "libvirt starts the domain, and the agent answers" ||
	cat "$tmp/status" "$tmp/libvirt.log"
"$host" record "$guest" -q -o "$tmp/lv.dat" -e sched --duration 2 > "$tmp/ledger" 2>&1
ok $? "the guest records" || cat "$tmp/ledger"
like "$("$host" report -i "$tmp/lv.dat" 2>&1)" "sched_switch" "its events are in the file"
tap_done
