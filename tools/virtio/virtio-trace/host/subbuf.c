// SPDX-License-Identifier: GPL-2.0-only
/* What a guest's sub-buffer holds: the one place where its bytes are checked and walked. */
#include "subbuf.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Theory of operation
 *
 * A sub-buffer is a header (timestamp, commit) and events, each begun by a
 * 32-bit word of type and time delta. Everything in it is the guest's word:
 * before a length is used it is compared with the bytes left, so a walk ends
 * inside the sub-buffer whatever it holds, and every step takes at least the
 * four bytes of an event's header.
 *
 * Recording scans every sub-buffer, so the walk is one inline function,
 * compiled once for each byte order, and its first branch is the small event.
 */

#define HEADER_PAGE_MAX 4096

/* include/linux/ring_buffer.h, enum ring_buffer_type */
#define TYPE_PADDING 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP 31

/* kernel/trace/ring_buffer.c: what the commit field says besides the length */
#define COMMIT_MASK 0x07ffffffu
#define COMMIT_MISSED 0x80000000u
#define COMMIT_STORED 0x40000000u

#define EVENT_HEADER 4u
#define DELTA_BITS 27
#define STAMP_BITS 59

static inline u32 load32(const u8 *at, bool big_endian)
{
	u32 word;

	memcpy(&word, at, sizeof(word));
	return big_endian ? be32toh(word) : le32toh(word);
}

static inline u64 load64(const u8 *at, bool big_endian)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return big_endian ? be64toh(word) : le64toh(word);
}

/* Only the low 32 bits of commit carry anything, wherever they are. */
static u32 commit_at(const struct subbuf_layout *layout)
{
	return layout->commit_offset +
	       (layout->big_endian && layout->commit_size == 8 ? 4 : 0);
}

static u32 commit_load(const struct subbuf_layout *layout, const u8 *subbuf)
{
	return load32(subbuf + commit_at(layout), layout->big_endian);
}

static void commit_store(const struct subbuf_layout *layout, u8 *subbuf, u32 commit)
{
	commit = layout->big_endian ? htobe32(commit) : htole32(commit);
	memcpy(subbuf + commit_at(layout), &commit, sizeof(commit));
}

static u32 subbuf_capacity(const struct subbuf_layout *layout)
{
	return layout->size - layout->data_offset;
}

/* Finds "field: TYPE name;" and the two figures behind it. */
static int header_page_field(const char *text, const char *name, u32 *offset, u32 *size)
{
	const char *at = text;
	char key[32];

	snprintf(key, sizeof(key), " %s;", name);
	at = strstr(at, key);
	if (!at || sscanf(at + strlen(key), " offset:%u; size:%u;", offset, size) != 2)
		return -EINVAL;
	return 0;
}

static bool layout_is_sane(const struct subbuf_layout *layout, u32 data_size)
{
	if (layout->commit_size != 4 && layout->commit_size != 8)
		return false;
	if (layout->commit_offset < sizeof(u64) || layout->commit_offset > 64)
		return false;
	if (layout->data_offset < layout->commit_offset + layout->commit_size ||
	    layout->data_offset > 128 || data_size > SUBBUF_SIZE_MAX)
		return false;
	return layout->size >= SUBBUF_SIZE_MIN && layout->size <= SUBBUF_SIZE_MAX &&
	       !(layout->size & (layout->size - 1));
}

int subbuf_layout_parse(const char *text, size_t len, bool big_endian,
			struct subbuf_layout *layout)
{
	u32 stamp_offset, stamp_size, data_size;
	char copy[HEADER_PAGE_MAX];

	if (len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = '\0';

	layout->big_endian = big_endian;
	if (header_page_field(copy, "timestamp", &stamp_offset, &stamp_size) ||
	    header_page_field(copy, "commit", &layout->commit_offset, &layout->commit_size) ||
	    header_page_field(copy, "data", &layout->data_offset, &data_size))
		return -EINVAL;
	layout->size = layout->data_offset + data_size;
	if (stamp_offset != 0 || stamp_size != sizeof(u64) || !layout_is_sane(layout, data_size))
		return -EINVAL;
	return 0;
}

/* An absolute timestamp has no room for its top bits: they stay as they were. */
static u64 stamp_extend(u64 stamp, u64 before)
{
	u64 top = before & ~((1ULL << STAMP_BITS) - 1);

	if (!top)
		return stamp;
	stamp |= top;
	return stamp < before ? stamp + (1ULL << STAMP_BITS) : stamp;
}

/* The kernel gives a discarded event of delta 0 the delta 1, which is no time. */
static u64 padding_delta(u64 delta)
{
	return delta == 1 ? 0 : delta;
}

/* Takes one event of the kinds that are followed by a word; 1 when it is a data event. */
static inline int walk_long(struct subbuf_iter *iter, bool big_endian, u32 type, u64 delta,
			    struct subbuf_event *event)
{
	u32 left = iter->end - iter->pos - EVENT_HEADER;
	const u8 *at = iter->data + iter->pos + EVENT_HEADER;
	u32 word, len = sizeof(word);

	if (left < sizeof(word))
		return -EBADMSG;
	word = load32(at, big_endian);
	switch (type) {
	case TYPE_TIME_EXTEND:
		iter->ts += ((u64)word << DELTA_BITS) + delta;
		break;
	case TYPE_TIME_STAMP:
		iter->ts = stamp_extend(((u64)word << DELTA_BITS) + delta, iter->ts);
		break;
	case TYPE_PADDING:
		len = word;
		iter->ts += padding_delta(delta);
		break;
	default:
		len = word;
		if (len < sizeof(word))
			return -EBADMSG;
		iter->ts += delta;
		event->ts = iter->ts;
		event->data = at + sizeof(word);
		event->len = len - sizeof(word);
	}
	if (len > left)
		return -EBADMSG;
	len = (len + 3) & ~3u;
	iter->pos += EVENT_HEADER + (len > left ? left : len);
	return type == 0;
}

static inline int walk(struct subbuf_iter *iter, bool big_endian, struct subbuf_event *event)
{
	u32 word, type, delta;
	int ret;

	while (iter->end - iter->pos >= EVENT_HEADER) {
		word = load32(iter->data + iter->pos, big_endian);
		type = big_endian ? word >> DELTA_BITS : word & 31;
		delta = big_endian ? word & ((1u << DELTA_BITS) - 1) : word >> 5;
		if (type - 1 < TYPE_PADDING - 1) {
			event->len = 4 * type;
			if (event->len > iter->end - iter->pos - EVENT_HEADER)
				return -EBADMSG;
			iter->ts += delta;
			event->ts = iter->ts;
			event->data = iter->data + iter->pos + EVENT_HEADER;
			iter->pos += EVENT_HEADER + event->len;
			return 1;
		}
		if (type == TYPE_PADDING && !delta)
			return 0;
		ret = walk_long(iter, big_endian, type, delta, event);
		if (ret)
			return ret;
	}
	return iter->pos == iter->end ? 0 : -EBADMSG;
}

static void iter_init(const struct subbuf_layout *layout, const u8 *subbuf,
		      struct subbuf_iter *iter)
{
	*iter = (struct subbuf_iter){
		.layout = layout,
		.data = subbuf + layout->data_offset,
		.ts = load64(subbuf, layout->big_endian),
	};
}

int subbuf_first(const struct subbuf_layout *layout, const void *subbuf,
		 struct subbuf_iter *iter)
{
	iter_init(layout, subbuf, iter);
	iter->end = commit_load(layout, subbuf) & COMMIT_MASK;
	if (iter->end <= subbuf_capacity(layout))
		return 0;
	iter->end = 0;
	return -EBADMSG;
}

int subbuf_next(struct subbuf_iter *iter, struct subbuf_event *event)
{
	return iter->layout->big_endian ? walk(iter, true, event) : walk(iter, false, event);
}

static void missed_load(const struct subbuf_layout *layout, const u8 *subbuf, u32 bytes,
			struct subbuf_info *info)
{
	const u8 *at = subbuf + layout->data_offset + bytes;
	u32 commit = commit_load(layout, subbuf);

	if (!(commit & COMMIT_MISSED))
		return;
	if (!(commit & COMMIT_STORED) ||
	    subbuf_capacity(layout) - bytes < layout->commit_size)
		info->missed_uncounted = true;
	else if (layout->commit_size == 8)
		info->missed = load64(at, layout->big_endian);
	else
		info->missed = load32(at, layout->big_endian);
}

int subbuf_scan(const struct subbuf_layout *layout, const void *subbuf,
		struct subbuf_info *info)
{
	struct subbuf_event event = { 0 };
	struct subbuf_iter iter;
	u64 events = 0;
	int ret;

	memset(info, 0, sizeof(*info));
	ret = subbuf_first(layout, subbuf, &iter);
	info->first_ts = iter.ts;
	info->last_ts = iter.ts;
	if (ret)
		return ret;
	info->bytes = iter.end;
	missed_load(layout, subbuf, iter.end, info);

	if (layout->big_endian)
		while ((ret = walk(&iter, true, &event)) > 0)
			events++;
	else
		while ((ret = walk(&iter, false, &event)) > 0)
			events++;
	info->events = events;
	if (events)
		info->last_ts = event.ts;
	return ret;
}

/* Counts the events within the first @end bytes of data; the last whole one ends at @whole. */
static ssize_t events_within(const struct subbuf_layout *layout, const u8 *subbuf, u32 end,
			     u32 *whole)
{
	struct subbuf_event event;
	struct subbuf_iter iter;
	ssize_t events;

	iter_init(layout, subbuf, &iter);
	iter.end = end;
	*whole = 0;
	for (events = 0; subbuf_next(&iter, &event) > 0; events++)
		*whole = iter.pos;
	return events;
}

ssize_t subbuf_cut(const struct subbuf_layout *layout, void *subbuf, u32 len)
{
	u32 commit, bytes, arrived, whole;
	ssize_t events;

	if (len < layout->data_offset)
		return -EBADMSG;
	if (len > layout->size)
		len = layout->size;
	memset((u8 *)subbuf + len, 0, layout->size - len);

	arrived = len - layout->data_offset;
	commit = commit_load(layout, subbuf);
	bytes = commit & COMMIT_MASK;
	events = events_within(layout, subbuf, bytes < arrived ? bytes : arrived, &whole);
	/* The count of missed events stands behind the data: it comes last. */
	if (arrived < bytes + layout->commit_size)
		commit &= ~COMMIT_STORED;
	if (arrived < bytes)
		commit = (commit & ~COMMIT_MASK) | whole;
	commit_store(layout, subbuf, commit);
	return events;
}
