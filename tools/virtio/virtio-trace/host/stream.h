/* SPDX-License-Identifier: GPL-2.0-only */
/* The sub-buffers and events of one CPU, one after the other, from a recorded trace. */
#ifndef VIRTIO_TRACE_STREAM_H
#define VIRTIO_TRACE_STREAM_H

#include "../types.h"
#include "datread.h"

/**
 * struct stream - a walk over one CPU's events
 * @dr: the trace
 * @cpu: the CPU
 * @subbuf: memory for a sub-buffer, lent by the caller; NULL while there is none
 * @loaded: what @at names is in @subbuf
 * @at: where the present sub-buffer begins in the CPU's region
 * @iter: the walk over it
 * @event: the event the walk is at
 * @info: what the present sub-buffer holds
 * @missed: events lost before @event
 * @missed_uncounted: so were others, uncounted
 * @bad: bad sub-buffers seen
 */
struct stream {
	struct datread *dr;
	const struct datread_cpu *cpu;
	u8 *subbuf;
	bool loaded;
	u64 at;
	struct subbuf_iter iter;
	struct subbuf_event event;
	struct subbuf_info info;
	u64 missed;
	bool missed_uncounted;
	u64 bad;
};

/**
 * stream_init() - stand before a CPU's first sub-buffer
 * @st: the walk
 * @dr: the trace
 * @cpu: the CPU
 */
void stream_init(struct stream *st, struct datread *dr, const struct datread_cpu *cpu);

/**
 * stream_next_subbuf() - read and check the next sub-buffer
 * @st: the walk; it must have been lent memory. @info tells what is in the sub-buffer
 *
 * Says what is wrong with a bad one, and marks the trace as damaged.
 *
 * Return: 1, 0 at the end.
 */
int stream_next_subbuf(struct stream *st);

/**
 * stream_next() - go to the next event
 * @st: the walk; it must have been lent memory
 *
 * Return: 1, 0 at the end.
 */
int stream_next(struct stream *st);

/**
 * stream_reload() - have the present sub-buffer in memory again
 * @st: the walk, lent memory anew after stream_unload()
 *
 * Return: true if it is there; false when the file can no longer be read.
 */
bool stream_reload(struct stream *st);

/**
 * stream_unload() - take the lent memory back
 * @st: the walk
 *
 * Return: the memory.
 */
u8 *stream_unload(struct stream *st);

/**
 * stream_end() - tell how many bad sub-buffers there were, if not all were told
 * @st: the walk
 */
void stream_end(const struct stream *st);

#endif
