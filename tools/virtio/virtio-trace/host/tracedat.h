/* SPDX-License-Identifier: GPL-2.0-only */
/* trace.dat version 6, written in one pass and valid at every moment. */
#ifndef VIRTIO_TRACE_TRACEDAT_H
#define VIRTIO_TRACE_TRACEDAT_H

#include "../types.h"
#include "source.h"
#include "subbuf.h"

#define TRACEDAT_CPUS_MAX 4096u
#define TRACEDAT_CPUSTAT_MAX 511u

/**
 * struct tracedat_info - what a writer must know of the guest
 * @layout: its sub-buffers and byte order
 * @long_size: bytes in its long, 4 or 8
 * @cpus: number of CPUs, 1..TRACEDAT_CPUS_MAX
 * @tracing: its tracing directory in the source: "tracing" or "tracing/instances/NAME"
 * @systems: event systems whose formats are wanted, NULL at the end; NULL: all there are
 * @uname: for option UNAME, "Linux nodename release version machine"; may be NULL
 * @trace_id: for option TRACEID, a number unlike other recordings'
 */
struct tracedat_info {
	struct subbuf_layout layout;
	u32 long_size;
	u32 cpus;
	const char *tracing;
	const char *const *systems;
	const char *uname;
	u64 trace_id;
};

struct tracedat;

/**
 * tracedat_create() - make the file and write everything that stands before the events
 * @path: the file; a regular file that is there stays until tracedat_publish()
 * @info: the guest
 * @src: where header_page, header_event, formats, kallsyms, printk_formats,
 *	saved_cmdlines and trace_clock come from; read once, streamed, not held
 * @out: the open file
 *
 * After this the file is a valid trace without events, by the name of @path.part; each
 * CPU has a region of its own in the sparse file. Says what failed.
 *
 * Return: 0 or -errno; no file is left behind on error.
 */
int tracedat_create(const char *path, const struct tracedat_info *info, struct source *src,
		    struct tracedat **out);

/**
 * tracedat_publish() - give the file its name, also in place of an older one
 * @dat: the file
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int tracedat_publish(struct tracedat *dat);

/**
 * tracedat_append() - add bytes of a CPU's stream
 * @dat: the file
 * @cpu: 0..cpus-1
 * @data: the bytes; need not end at a sub-buffer's end
 * @len: how many
 *
 * The size in the file's table covers whole sub-buffers and is moved on only after the
 * data is written: whoever opens the file at any moment sees a valid trace.
 *
 * Return: 0 or -errno (ENOSPC, EFBIG); what was written before stays valid.
 */
int tracedat_append(struct tracedat *dat, u32 cpu, const void *data, size_t len);

/**
 * tracedat_read() - read back what was appended
 * @dat: the file
 * @cpu: the CPU
 * @offset: position in the CPU's stream
 * @data: where to
 * @len: how many bytes
 *
 * Return: 0 or -errno.
 */
int tracedat_read(struct tracedat *dat, u32 cpu, u64 offset, void *data, size_t len);

/**
 * tracedat_size() - bytes appended so far for a CPU
 * @dat: the file
 * @cpu: the CPU
 *
 * Return: the number, an unfinished sub-buffer at the end included.
 */
u64 tracedat_size(const struct tracedat *dat, u32 cpu);

/**
 * tracedat_cmdlines() - replace the task names by newer ones
 * @dat: the file
 * @src: saved_cmdlines is read from it; as much as the reserved room holds, newest kept
 *
 * Return: 0 or -errno.
 */
int tracedat_cmdlines(struct tracedat *dat, struct source *src);

/**
 * tracedat_cpustat() - store the text of a CPU's option CPUSTAT
 * @dat: the file
 * @cpu: the CPU
 * @text: as trace-cmd has it: "CPU: 0\nentries: ...\n"; cut to TRACEDAT_CPUSTAT_MAX
 *
 * Return: 0 or -errno.
 */
int tracedat_cpustat(struct tracedat *dat, u32 cpu, const char *text);

/**
 * tracedat_close() - finish the file, or remove one that was not published
 * @dat: the file; NULL is allowed
 * @events_cut: if not NULL, events kept of unfinished last sub-buffers (see subbuf_cut())
 *
 * An unfinished last sub-buffer is made whole, and the CPUs' regions are moved
 * together so that the file is as long as what is in it. Every step leaves a valid
 * file; one without the room to move regions in stays sparse, which is no error.
 *
 * Return: 0 or the first -errno; the file stays valid and @dat is gone in either case.
 */
int tracedat_close(struct tracedat *dat, u64 *events_cut);

#endif
