/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that write a trace.dat share: the open file and numbers in the guest's order. */
#ifndef VIRTIO_TRACE_TRACEDAT_LOCAL_H
#define VIRTIO_TRACE_TRACEDAT_LOCAL_H

#include "tracedat.h"

/**
 * struct tracedat_cpu - a CPU's region of the file
 * @offset: where it begins
 * @size: bytes written to it
 * @shown: bytes the table tells readers of: whole sub-buffers
 */
struct tracedat_cpu {
	u64 offset;
	u64 size;
	u64 shown;
};

/**
 * struct tracedat - a trace.dat being written
 * @path: its name
 * @part: the name it has until it is published; NULL: it is
 * @fd: the file
 * @layout: the guest's sub-buffers
 * @cpus: number of CPUs
 * @cmdlines_at: where the room for saved_cmdlines begins
 * @cmdlines_room: its size
 * @cpustat_at: where the first CPU's text of option CPUSTAT begins
 * @table_at: where the table of offsets and sizes begins
 * @meta_end: where everything that stands before the events ends
 * @stride: bytes from one CPU's region to the next one's while recording
 * @cpu: the regions
 */
struct tracedat {
	char *path;
	char *part;
	int fd;
	struct subbuf_layout layout;
	u32 cpus;
	u64 cmdlines_at;
	u32 cmdlines_room;
	u64 cpustat_at;
	u64 table_at;
	u64 meta_end;
	u64 stride;
	struct tracedat_cpu cpu[];
};

/* An option is its number (16 bits), its size (32 bits) and as many bytes. */
#define TRACEDAT_OPTION_HEAD 6u
#define TRACEDAT_CPUSTAT_ROOM (TRACEDAT_CPUSTAT_MAX + 1)

/**
 * tracedat_put() - write bytes at a place in the file
 * @dat: the file
 * @at: the place
 * @data: the bytes
 * @len: how many
 * @done: if not NULL, how many were written, in case of an error too
 *
 * Return: 0 or -errno.
 */
int tracedat_put(struct tracedat *dat, u64 at, const void *data, size_t len, size_t *done);

/**
 * tracedat_order() - lay down a number in the guest's byte order
 * @dat: the file
 * @value: the number
 * @bytes: 2, 4 or 8
 * @to: where to
 */
void tracedat_order(const struct tracedat *dat, u64 value, unsigned int bytes, u8 *to);

/**
 * tracedat_show() - write the table's entries of some CPUs
 * @dat: the file
 * @first: the first CPU
 * @count: how many
 *
 * Return: 0 or -errno.
 */
int tracedat_show(struct tracedat *dat, u32 first, u32 count);

/**
 * tracedat_write_meta() - write everything that stands before the events
 * @dat: the file; where the movable parts are is stored in it
 * @info: the guest
 * @src: the guest's files
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int tracedat_write_meta(struct tracedat *dat, const struct tracedat_info *info,
			struct source *src);

/**
 * tracedat_spread() - give each CPU a region of its own behind what is written
 * @dat: the file
 *
 * Return: 0 or -errno.
 */
int tracedat_spread(struct tracedat *dat);

/**
 * tracedat_pack() - move the regions together and cut the file to its contents
 * @dat: the file
 *
 * Return: 0 or -errno; the file is valid in either case.
 */
int tracedat_pack(struct tracedat *dat);

#endif
