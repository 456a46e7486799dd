/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's tracefs: where it is, and what the agent reads there. */
#ifndef VIRTIO_TRACE_TRACEFS_H
#define VIRTIO_TRACE_TRACEFS_H

#include "types.h"

/**
 * struct ring_stats - the kernel's own counts for one CPU's ring buffer
 * @entries: events in the ring now
 * @overrun: events overwritten because nobody read them in time
 * @commit_overrun: events not written because an interrupt's events filled the ring
 * @dropped: events not written because the ring was full and not overwritable
 * @read: events consumed by readers
 */
struct ring_stats {
	u64 entries;
	u64 overrun;
	u64 commit_overrun;
	u64 dropped;
	u64 read;
};

/**
 * tracefs_find() - find where tracefs is mounted; mount it if it is nowhere
 * @path: the mount point
 * @size: bytes in @path
 *
 * Return: 0 or -errno, said on stderr.
 */
int tracefs_find(char *path, size_t size);

/**
 * tracefs_dir() - the directory of an instance
 * @tracing: the mount point
 * @instance: the instance; "" is the top level
 * @path: the result
 * @size: bytes in @path
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int tracefs_dir(const char *tracing, const char *instance, char *path, size_t size);

/**
 * tracefs_subbuf_size() - bytes per sub-buffer, header included, from events/header_page
 * @dir: an instance's directory
 *
 * Return: the size, or -errno.
 */
ssize_t tracefs_subbuf_size(const char *dir);

/**
 * tracefs_ring_bytes() - how much one CPU's ring buffer holds
 * @dir: an instance's directory
 * @cpu: the CPU
 *
 * Return: bytes (of a ring not yet in use: what it will be), or -errno.
 */
ssize_t tracefs_ring_bytes(const char *dir, unsigned int cpu);

/**
 * tracefs_stats() - read per_cpu/cpuN/stats
 * @dir: an instance's directory
 * @cpu: the CPU
 * @stats: the counts
 *
 * Return: 0 or -errno.
 */
int tracefs_stats(const char *dir, unsigned int cpu, struct ring_stats *stats);

/**
 * tracefs_clock() - the trace clock's name and its reading
 * @dir: an instance's directory
 * @name: the clock, such as "local"
 * @now: the time on it, as per_cpu/cpu0/stats prints it
 * @size: bytes in each of @name and @now
 *
 * Return: 0 or -errno.
 */
int tracefs_clock(const char *dir, char *name, char *now, size_t size);

#endif
