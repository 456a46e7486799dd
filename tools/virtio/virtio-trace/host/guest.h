/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest as the host sees it: a directory with FIFOs and a socket that QEMU has open. */
#ifndef VIRTIO_TRACE_GUEST_H
#define VIRTIO_TRACE_GUEST_H

#include "../types.h"

#define GUEST_DIR_DEFAULT "/run/virtio-trace"
#define GUEST_DIR_ENV "VIRTIO_TRACE_DIR"
#define GUEST_CPUS_MAX 4096u
#define GUEST_NAME_MAX 64

#define GUEST_CTL "agent-ctl-path"
#define GUEST_CPU "trace-path-cpu"
#define GUEST_FS "agent-fs-path"

/**
 * struct guest - an opened guest directory
 * @name: what messages call it
 * @dir: path of the directory
 * @dir_fd: the directory; carries the lock as well
 * @cpus: numbers of the CPUs that have a FIFO, ascending
 * @ncpus: how many
 * @has_fs: there is a socket agent-fs-path.sock
 */
struct guest {
	char *name;
	char *dir;
	int dir_fd;
	u32 *cpus;
	u32 ncpus;
	bool has_fs;
};

/**
 * guest_dir() - where a guest's directory is
 * @base: directory of the guests; NULL: $VIRTIO_TRACE_DIR or the default
 * @arg: name of the guest, or a path when it holds a '/'
 *
 * Says what is wrong with a name.
 *
 * Return: the path, to be freed; NULL when the name is unusable or memory is short.
 */
char *guest_dir(const char *base, const char *arg);

/**
 * guest_open() - find a guest and see what it has
 * @base: as for guest_dir()
 * @arg: as for guest_dir()
 * @guest: the result
 *
 * What stands in the place of a FIFO must be one. Says what is wrong.
 *
 * Return: 0 or -errno.
 */
int guest_open(const char *base, const char *arg, struct guest *guest);

/**
 * guest_close() - end what guest_open() began; the lock goes with it
 * @guest: the guest; all zero is allowed
 */
void guest_close(struct guest *guest);

/**
 * guest_lock() - be the only one who talks to this guest
 * @guest: the guest
 *
 * QEMU serves one client of agent-fs-path at a time, and two readers of a FIFO
 * would tear the trace apart. Says so when another one is at work.
 *
 * Return: 0 or -errno; -EBUSY: taken.
 */
int guest_lock(struct guest *guest);

/**
 * guest_open_ctl() - open the FIFO for orders to write into
 * @guest: the guest
 *
 * Says what failed.
 *
 * Return: the descriptor or -errno; -ENXIO: QEMU does not have it open.
 */
int guest_open_ctl(const struct guest *guest);

/**
 * guest_open_trace() - open a CPU's FIFO to read from, non-blocking
 * @guest: the guest
 * @cpu: the CPU
 *
 * Return: the descriptor or -errno.
 */
int guest_open_trace(const struct guest *guest, u32 cpu);

/**
 * guest_connect_fs() - connect to agent-fs-path.sock, non-blocking
 * @guest: the guest
 *
 * Return: the descriptor or -errno; -ENOENT, -ECONNREFUSED: QEMU isn't there.
 */
int guest_connect_fs(const struct guest *guest);

#endif
