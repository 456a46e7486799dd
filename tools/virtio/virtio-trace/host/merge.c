// SPDX-License-Identifier: GPL-2.0-only
/* The events of several CPUs in the order of their timestamps. */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>

#include "stream.h"

/*
 * Theory of operation
 *
 * Each CPU's stream stands at its next event; a binary heap keeps the stream
 * with the lowest timestamp in front. Memory for sub-buffers comes from a pool
 * of bounded size: with more CPUs than it has room for, a stream whose turn it
 * is takes the memory of another one, which reads its sub-buffer again later.
 */

#define POOL_BYTES (8u * 1024 * 1024)

struct merge {
	struct stream *streams;
	struct stream **heap;
	u32 count, waiting;
	bool begun;
	u8 *memory;
	struct stream **owner;
	u32 slots, hand;
};

/* Equal timestamps come in the order of the CPUs. */
static bool stream_is_before(const struct stream *a, const struct stream *b)
{
	if (a->event.ts != b->event.ts)
		return a->event.ts < b->event.ts;
	return a->cpu < b->cpu;
}

static void heap_swap(struct merge *m, u32 a, u32 b)
{
	struct stream *st = m->heap[a];

	m->heap[a] = m->heap[b];
	m->heap[b] = st;
}

static void heap_sink(struct merge *m, u32 at)
{
	u32 child;

	for (;; at = child) {
		child = 2 * at + 1;
		if (child >= m->waiting)
			return;
		if (child + 1 < m->waiting &&
		    stream_is_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!stream_is_before(m->heap[child], m->heap[at]))
			return;
		heap_swap(m, at, child);
	}
}

/* Takes memory from the pool, from another stream when none is free. */
static void pool_lend(struct merge *m, struct stream *st)
{
	struct stream *other;
	u32 slot = m->hand;

	if (st->subbuf)
		return;
	m->hand = (m->hand + 1) % m->slots;
	other = m->owner[slot];
	m->owner[slot] = st;
	st->subbuf = other ? stream_unload(other) :
			     m->memory + (size_t)slot * st->dr->layout.size;
}

static bool stream_advance(struct merge *m, struct stream *st)
{
	bool had = st->subbuf;

	pool_lend(m, st);
	if (!had && st->at != U64_MAX && !stream_reload(st))
		return false;
	return stream_next(st) > 0;
}

/* The first event of each stream; those without any are left out. */
static void merge_begin(struct merge *m)
{
	u32 i;

	for (i = 0; i < m->count; i++)
		if (stream_advance(m, &m->streams[i]))
			m->heap[m->waiting++] = &m->streams[i];
	for (i = m->waiting / 2; i-- > 0; )
		heap_sink(m, i);
	m->begun = true;
}

/* The stream in front goes on: to its place, or out of the heap at its end. */
static void merge_advance(struct merge *m)
{
	if (!stream_advance(m, m->heap[0]))
		m->heap[0] = m->heap[--m->waiting];
	heap_sink(m, 0);
}

int merge_next(struct merge *m, struct merge_event *next)
{
	struct stream *st;

	if (!m->begun)
		merge_begin(m);
	else if (m->waiting)
		merge_advance(m);
	while (m->waiting) {
		st = m->heap[0];
		pool_lend(m, st);
		if (stream_reload(st)) {
			*next = (struct merge_event){
				.cpu = st->cpu->cpu,
				.event = st->event,
				.missed = st->missed,
				.missed_uncounted = st->missed_uncounted,
			};
			return 1;
		}
		m->heap[0] = m->heap[--m->waiting];
		heap_sink(m, 0);
	}
	return 0;
}

static int pool_alloc(struct merge *m, u32 subbuf_size)
{
	m->slots = POOL_BYTES / subbuf_size;
	if (m->slots > m->count)
		m->slots = m->count;
	m->memory = malloc((size_t)m->slots * subbuf_size + 1);
	m->owner = calloc(m->slots + 1, sizeof(struct stream *));
	return m->memory && m->owner ? 0 : -ENOMEM;
}

int merge_open(struct datread *dr, const bool *wanted, struct merge **out)
{
	struct merge *m;
	u32 i;

	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->streams = calloc(dr->cpus, sizeof(*m->streams));
	m->heap = calloc(dr->cpus, sizeof(struct stream *));
	if (!m->streams || !m->heap)
		goto err_close;
	for (i = 0; i < dr->cpus; i++)
		if (dr->cpu[i].size && (!wanted || wanted[i]))
			stream_init(&m->streams[m->count++], dr, &dr->cpu[i]);
	if (pool_alloc(m, dr->layout.size))
		goto err_close;
	*out = m;
	return 0;

err_close:
	merge_close(m);
	return -ENOMEM;
}

void merge_close(struct merge *m)
{
	u32 i;

	if (!m)
		return;
	for (i = 0; m->streams && i < m->count; i++)
		stream_end(&m->streams[i]);
	free(m->streams);
	free(m->heap);
	free(m->memory);
	free(m->owner);
	free(m);
}
