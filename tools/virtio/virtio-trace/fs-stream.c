// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where does a 9P message begin and end in a byte stream whose clients come and go?
 *
 * Theory of operation: the port is one stream for ever, while clients change. One that
 * vanishes leaves the head of a message; QEMU drops what was in flight, and the next
 * client's bytes follow at once. If the disconnect was seen, fs_stream_reset() forgets
 * the head. A quick one is not seen: then the Tversion, which every session begins
 * with, fills the place of the missing bytes. It is found like this, by how many
 * bytes were missing compared with its own length:
 *
 * - more: the message stays incomplete. When what has come ends with a Tversion and
 *   nothing follows for FS_QUIET_MS, the message is given up. Clients wait for
 *   Rversion, senders in the middle of a message go on: silence tells them apart.
 * - as many, or fewer: the message is complete, and a Tversion begins inside it and
 *   ends with it or behind it. The message is dropped. Up to FS_TVERSION_MAX bytes
 *   behind a message are read with it to see this; an end that could be the
 *   beginning of a Tversion makes the caller read once more before it is believed.
 * - fewer, and the Tversion itself came in pieces: its first bytes were taken for the
 *   message's last. They are kept as the past, in front of the next message, and the
 *   search goes back into it, in the two ways above and in the third:
 *
 * A size that can't be makes the stream lost: bytes are dropped until a Tversion comes.
 *
 * What can be misjudged: a Twrite whose data ends with a whole Tversion, or contains
 * one and pauses for FS_QUIET_MS exactly behind it. By content a cut message looks just
 * the same. Nobody writes such data to tracefs, and it costs a session, not a write.
 *
 * The buffer: | past | message ... msize | ahead |; replies are built over the message.
 */
#include "fs-stream.h"

#include <ctype.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

#include "fs-limits.h"

#define PAST_MAX (FS_TVERSION_MAX - 1)
#define MAP_SIZE (FS_TVERSION_MAX + P9_MSIZE_MAX + FS_TVERSION_MAX)
#define SIZE_LEN 4			/* bytes until a message's length is known */

enum match { NO, MAYBE, YES };

/* Are the bytes at @p a Tversion, or those there are the beginning of one? */
static enum match tversion_match(const u8 *p, size_t avail)
{
	static const u8 head[] = { 0, 0, 0, P9_TVERSION, 0xff, 0xff };
	static const u8 name[] = { '9', 'P', '2', '0', '0', '0' };
	size_t len = p[0], i;

	if (len < FS_TVERSION_MIN || len > FS_TVERSION_MAX)
		return NO;
	if (memcmp(p + 1, head, MIN(avail - 1, sizeof(head))))
		return NO;
	/* msize[4] may be anything; the string has to fill the rest. */
	if ((avail > 11 && p[11] != len - 13) || (avail > 12 && p[12]))
		return NO;
	if (avail > 13 && memcmp(p + 13, name, MIN(avail - 13, sizeof(name))))
		return NO;
	for (i = FS_TVERSION_MIN; i < MIN(len, avail); i++)
		if (!isgraph(p[i]))
			return NO;
	return avail >= len ? YES : MAYBE;
}

int fs_stream_open(struct fs_stream *st)
{
	memset(st, 0, sizeof(*st));
	st->map = mmap(NULL, MAP_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (st->map == MAP_FAILED)
		return -ENOMEM;
	st->buf = st->map + FS_TVERSION_MAX;
	st->msize = P9_MSIZE_MIN;
	return 0;
}

void fs_stream_close(struct fs_stream *st)
{
	munmap(st->map, MAP_SIZE);
}

void fs_stream_reset(struct fs_stream *st)
{
	st->past = 0;
	st->have = 0;
	st->size = 0;
	st->lost = false;
	st->ahead_len = 0;
}

void *fs_stream_room(struct fs_stream *st, size_t *room)
{
	size_t want = st->size ? st->size : SIZE_LEN;

	*room = want + FS_TVERSION_MAX - st->have;
	return st->buf + st->have;
}

void fs_stream_fed(struct fs_stream *st, size_t len)
{
	st->have += len;
	st->used = MAX(st->used, st->have);
}

/* The bytes behind the message leave the buffer before a reply overwrites them. */
static void ahead_save(struct fs_stream *st, size_t size)
{
	st->ahead_len = st->have - size;
	memcpy(st->ahead, st->buf + size, st->ahead_len);
}

/* Keep the last of @len bytes at buf in front of it. */
static void past_save(struct fs_stream *st, size_t len)
{
	size_t keep = MIN(st->past + len, PAST_MAX);

	memmove(st->buf - keep, st->buf + len - keep, keep);
	st->past = keep;
}

/* A Tversion was found: from now on it is the message. */
static size_t tversion_take(struct fs_stream *st, const u8 *at)
{
	size_t size = at[0];

	st->have = st->buf + st->have - at;
	memmove(st->buf, at, st->have);
	st->past = 0;
	st->size = size;
	st->lost = false;
	ahead_save(st, size);
	return size;
}

/* The last Tversion, being the newest client's, that begins before @until and reaches @end. */
static const u8 *tversion_find(const struct fs_stream *st, const u8 *until, const u8 *end)
{
	const u8 *from = st->buf - st->past, *all = st->buf + st->have, *at;

	if (end - from > FS_TVERSION_MAX)
		from = end - FS_TVERSION_MAX;
	for (at = until - 1; at >= from; at--)
		if (tversion_match(at, all - at) == YES && at + at[0] >= end)
			return at;
	return NULL;
}

/* Nothing is lost by dropping bytes here but what may yet become a Tversion. */
static size_t lost_next(struct fs_stream *st)
{
	const u8 *end = st->buf + st->have;
	const u8 *at = tversion_find(st, end, st->buf + 1);

	if (at)
		return tversion_take(st, at);
	past_save(st, st->have);
	st->have = 0;
	st->size = 0;
	return 0;
}

static bool end_is_doubtful(const struct fs_stream *st)
{
	const u8 *end = st->buf + st->have, *at;

	for (at = end - MIN(st->size - 1, PAST_MAX); at < st->buf + st->size; at++)
		if (tversion_match(at, end - at) == MAYBE)
			return true;
	return false;
}

static size_t complete_next(struct fs_stream *st, bool dry)
{
	const u8 *end = st->buf + st->size;
	const u8 *at = tversion_find(st, end, end);

	/* At the front it is what it seems. */
	if (at && at != st->buf)
		return tversion_take(st, at);
	if (!dry && end_is_doubtful(st))
		return 0;

	ahead_save(st, st->size);
	past_save(st, st->size);
	return st->size;
}

size_t fs_stream_next(struct fs_stream *st, bool dry)
{
	if (st->lost)
		return lost_next(st);
	if (!st->size && st->have >= SIZE_LEN) {
		st->size = p9_peek_size(st->buf);
		if (st->size < P9_HEADER_SIZE || st->size > st->msize) {
			st->lost = true;
			return lost_next(st);
		}
	}
	if (!st->size || st->have < st->size)
		return 0;
	return complete_next(st, dry);
}

bool fs_stream_lend(struct fs_stream *st)
{
	if (st->have > sizeof(st->ahead))
		return false;
	ahead_save(st, 0);
	return true;
}

void fs_stream_done(struct fs_stream *st, size_t touched)
{
	st->used = MAX(st->used, touched);
	memcpy(st->buf, st->ahead, st->ahead_len);
	st->have = st->ahead_len;
	st->ahead_len = 0;
	st->size = 0;
}

void fs_stream_lose(struct fs_stream *st)
{
	st->lost = true;
}

/* The Tversion that ends what has come of an incomplete message, if one does. */
static const u8 *tversion_at_end(const struct fs_stream *st)
{
	const u8 *end = st->buf + st->have, *at = tversion_find(st, end, end);

	return at != st->buf ? at : NULL;
}

bool fs_stream_is_suspect(const struct fs_stream *st)
{
	return st->have && tversion_at_end(st);
}

void fs_stream_resync(struct fs_stream *st)
{
	const u8 *at = st->have ? tversion_at_end(st) : NULL;

	if (!at)
		return;
	st->have = st->buf + st->have - at;
	memmove(st->buf, at, st->have);
	st->past = 0;
	st->size = 0;
}

void fs_stream_trim(struct fs_stream *st)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t keep = FS_TVERSION_MAX + MAX(st->have, (size_t)FS_BUFFER_KEEP);

	keep = (keep + page - 1) & ~(page - 1);
	if (FS_TVERSION_MAX + st->used <= keep)
		return;
	madvise(st->map + keep, MAP_SIZE - keep, MADV_DONTNEED);
	st->used = keep - FS_TVERSION_MAX;
}
