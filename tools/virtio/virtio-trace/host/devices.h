/* SPDX-License-Identifier: GPL-2.0-only */
/* What QEMU or libvirt must be told so that a guest gets its ports. */
#ifndef VIRTIO_TRACE_DEVICES_H
#define VIRTIO_TRACE_DEVICES_H

#include <stdio.h>

#include "../types.h"

/**
 * struct devices - the ports of a guest
 * @dir: absolute path of the guest's directory on the host
 * @cpus: number of CPUs, each gets a port
 * @fs: with agent-fs-path
 */
struct devices {
	const char *dir;
	u32 cpus;
	bool fs;
};

/**
 * devices_print_qemu() - the arguments for QEMU, a pair to each line
 * @devices: the ports
 * @out: where to
 *
 * Words are quoted for the shell only where they need it: without such words the
 * text can stand on a command line as $(...), with them it needs eval.
 */
void devices_print_qemu(const struct devices *devices, FILE *out);

/**
 * devices_print_libvirt() - the elements for <devices> of a libvirt domain
 * @devices: the ports
 * @out: where to
 */
void devices_print_libvirt(const struct devices *devices, FILE *out);

#endif
