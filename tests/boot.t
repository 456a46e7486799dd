#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Does the launcher tell how a guest ended, whatever way that is?
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"

boot=$tests_here/../vm/boot

# Boots a guest whose /test is the script on standard input.
boot_test()
{
	cat > "$tmp/test"
	"$tests_here/../vm/image" "$tmp/image.cpio" "$tmp/test:/test"
	"$boot" --initrd "$tmp/image.cpio" --console "$tmp/console" "$@" 2> "$tmp/err"
}

boot_test <<'END'
#!/bin/sh
echo "release $(uname -r)"
END
is $? 0 "a test that succeeds is a pass"
release=$(< "$BUILD/kernels/stock-6.12/version")
grep -q "^release $release" "$tmp/console"
ok $? "the console is kept, and shows what the test printed"

boot_test <<'END'
#!/bin/sh
exit 5
END
is $? 1 "a test that fails is a failure"
like "$(< "$tmp/err")" "exit status 5" "the verdict is printed"

boot_test <<'END'
#!/bin/sh
poweroff -f
END
is $? 3 "a guest that ends without verdict is a failure of its own"
like "$(< "$tmp/err")" "no verdict" "which is said"

boot_test <<'END'
#!/bin/sh
echo "WARNING: CPU: 0 PID: 1 at a test of the launcher" > /dev/kmsg
END
is $? 4 "a warning in the console is a failure, whatever the verdict"
like "$(< "$tmp/err")" "at a test of the launcher" "the line is printed"

boot_test <<'END'
#!/bin/sh
echo "WARNING: CPU: 0 PID: 1 at ring_buffer.c:814 ring_buffer_nr_dirty_pages+0x4a/0x60" > /dev/kmsg
echo "Call Trace:" > /dev/kmsg
echo "---[ end trace 0000000000000000 ]---" > /dev/kmsg
END
is $? 0 "a known fault of stock kernels is passed over" || diag "$(< "$tmp/err")"

boot_test <<'END'
#!/bin/sh
echo c > /proc/sysrq-trigger
END
is $? 4 "a panic is a failure, and does not hang"

boot_test --timeout 12 <<'END'
#!/bin/sh
sleep 1000
END
is $? 124 "a guest that does not end is killed"
like "$(< "$tmp/err")" "killed the guest after 12 s" "which is said"

"$boot" --initrd "$tmp/none" --console "$tmp/console" 2> "$tmp/err"
is $? 2 "a guest that can't be started is told apart"

# 2 ports of the launcher's, 6 for tracing, and these.
more=()
for i in $(seq 32); do
	more+=(--port "more-$i=null")
done
mkdir "$tmp/trace"
boot_test --cpus 4 --trace-dir "$tmp/trace" "${more[@]}" -- -name forty <<'END'
#!/bin/sh
cd /dev/virtio-ports
for i in $(seq 32); do
	[ -c "more-$i" ] || exit 1
done
[ -c trace-path-cpu3 ] && [ -c agent-fs-path ] && [ "$(ls | wc -l)" = 39 ] || exit 2
[ "$(ls -d /sys/bus/virtio/drivers/virtio_console/virtio* | wc -l)" = 3 ] || exit 3
END
is $? 0 "39 ports on three devices are found by name" || diag "$(< "$tmp/err")"

guest_start obeying
is "$(vm_run 'echo out; echo err >&2; exit 3')" $'out\nerr' "a guest runs a command"
vm_run 'exit 3'
is $? 3 "its exit status comes back"
is "$(vm_run 'printf "no end of line"')" "no end of line" "output without a newline stays so"
vm_run -t 1 'sleep 2; echo late' 2> "$tmp/err"
is $? 124 "a command that takes too long is given up"
is "$(vm_run 'echo next')" next "and does not spoil the next one"
head -c 300000 /dev/urandom > "$tmp/file"
vm_put "$tmp/file" /tmp/copy
is "$(vm_run 'md5sum < /tmp/copy')" "$(md5sum < "$tmp/file")" "a file gets into the guest"
guest_end obeying

guest_start cut --kernel stock-6.1 --no-fs
is "$(vm_run 'ls /dev/virtio-ports | grep -c agent-fs-path')" 0 "a port can be left out"
vm_kill
vm_run true 2> "$tmp/err"
is $? 125 "a guest that is gone is told apart"

tap_done
