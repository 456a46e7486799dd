/* SPDX-License-Identifier: GPL-2.0-only */
/* The events of several CPUs in the order of their timestamps. */
#ifndef VIRTIO_TRACE_MERGE_H
#define VIRTIO_TRACE_MERGE_H

#include "../types.h"
#include "datread.h"

struct merge;

/**
 * struct merge_event - an event and what was lost before it
 * @cpu: the CPU's number
 * @event: the event; its data is valid until the next call
 * @missed: events the CPU's ring buffer lost before it, as far as they were counted
 * @missed_uncounted: events were lost before it, and nobody knows how many
 */
struct merge_event {
	u32 cpu;
	struct subbuf_event event;
	u64 missed;
	bool missed_uncounted;
};

/**
 * merge_open() - begin to read a trace's events
 * @dr: the trace; its @damaged is set when a sub-buffer turns out to be bad
 * @wanted: which of dr->cpu to read, by index; NULL: all
 * @out: the reader; closed with merge_close()
 *
 * Return: 0 or -ENOMEM.
 */
int merge_open(struct datread *dr, const bool *wanted, struct merge **out);

/**
 * merge_next() - the event with the lowest timestamp of those not read yet
 * @m: the reader
 * @next: the event
 *
 * A bad sub-buffer is told on stderr, with file, CPU and place, and left at
 * the fault; the next one is gone on with.
 *
 * Return: 1, 0 at the end.
 */
int merge_next(struct merge *m, struct merge_event *next);

/**
 * merge_close() - end what merge_open() began
 * @m: the reader; NULL is allowed
 */
void merge_close(struct merge *m);

#endif
