/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's data FIFOs, emptied into one trace.dat, into raw files, or into nothing. */
#ifndef VIRTIO_TRACE_COLLECTOR_H
#define VIRTIO_TRACE_COLLECTOR_H

#include "../types.h"
#include "guest.h"
#include "subbuf.h"
#include "tracedat.h"

/**
 * struct collector_cpu - one FIFO
 * @cpu: its CPU
 * @fd: the FIFO; -1 when QEMU has closed it
 * @raw_fd: the raw file; -1 when there is none
 * @stored: bytes in the file
 * @discarded: bytes that came and were thrown away
 * @counted: bytes of the file whose events have been counted
 * @events: data events in them
 * @damaged: sub-buffers in them that are not sound
 */
struct collector_cpu {
	u32 cpu;
	int fd;
	int raw_fd;
	u64 stored;
	u64 discarded;
	u64 counted;
	u64 events;
	u64 damaged;
};

/**
 * struct collector - the FIFOs of one guest
 * @guest: the guest
 * @epoll_fd: readable when there is something to carry
 * @cpus: one for each of the guest's FIFOs, in the same order
 * @ncpus: how many
 * @open: FIFOs that QEMU has not closed
 * @dat: the trace.dat; NULL: none
 * @dat_cpus: CPUs it has room for; others do not exist in the guest
 * @layout: the sub-buffers in it
 * @raw: raw files are written
 * @copy: the files can't be spliced to: read and write instead
 * @scratch: what is counted or discarded at once
 * @scratch_size: its size, a sub-buffer's or more
 * @quota: bytes that may be stored; 0: any number
 * @stored: bytes stored
 * @events: events counted in them
 * @full: the quota is used up; what comes is discarded
 * @fault: why nothing can be stored any more, -errno; what comes is discarded
 */
struct collector {
	const struct guest *guest;
	int epoll_fd;
	struct collector_cpu *cpus;
	u32 ncpus;
	u32 open;
	struct tracedat *dat;
	u32 dat_cpus;
	struct subbuf_layout layout;
	bool raw;
	bool copy;
	u8 *scratch;
	size_t scratch_size;
	u64 quota;
	u64 stored;
	u64 events;
	bool full;
	int fault;
};

/**
 * collector_open() - open all FIFOs; what comes is discarded until told otherwise
 * @collector: the collector
 * @guest: the guest; must outlive it
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int collector_open(struct collector *collector, const struct guest *guest);

/**
 * collector_close() - close the FIFOs and raw files, not the trace.dat
 * @collector: the collector; one that failed to open is allowed
 */
void collector_close(struct collector *collector);

/**
 * collector_to_tracedat() - store what comes from now on in a trace.dat
 * @collector: the collector
 * @dat: the file
 * @info: what it was made with
 *
 * The counts begin anew.
 *
 * Return: 0 or -ENOMEM.
 */
int collector_to_tracedat(struct collector *collector, struct tracedat *dat,
			  const struct tracedat_info *info);

/**
 * collector_to_raw() - store what comes from now on in files cpuN.raw
 * @collector: the collector
 * @dir: their directory; made if need be
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int collector_to_raw(struct collector *collector, const char *dir);

/**
 * collector_run() - carry what is there, without waiting
 * @collector: the collector
 *
 * A file that can't take more is said once; its data is counted and discarded, so
 * that the guest does not wait for ever.
 *
 * Return: whether something came.
 */
bool collector_run(struct collector *collector);

/**
 * collector_settle() - carry until all has come, or nothing comes
 * @collector: the collector
 * @want: total of bytes that shall have come, for each FIFO; NULL: not known
 * @silence_ms: give up after so long without anything
 *
 * Return: whether all has come; with @want unknown, false.
 */
bool collector_settle(struct collector *collector, const u64 *want, int silence_ms);

/**
 * collector_count() - count events of what is stored, until a FIFO has something
 * @collector: the collector
 */
void collector_count(struct collector *collector);

/**
 * collector_count_rest() - count all that is not counted yet
 * @collector: the collector
 *
 * To be called once, when nothing more comes, before tracedat_close() cuts the
 * unfinished last sub-buffers: what is whole in them counts.
 */
void collector_count_rest(struct collector *collector);

/**
 * collector_received() - bytes that came on a FIFO since the counts began
 * @cpu: the FIFO
 *
 * Return: the number, whether stored or discarded.
 */
static inline u64 collector_received(const struct collector_cpu *cpu)
{
	return cpu->stored + cpu->discarded;
}

#endif
