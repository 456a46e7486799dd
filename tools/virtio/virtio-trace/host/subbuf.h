/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest's sub-buffer holds: the one place where its bytes are checked and walked. */
#ifndef VIRTIO_TRACE_SUBBUF_H
#define VIRTIO_TRACE_SUBBUF_H

#include "../types.h"

#define SUBBUF_SIZE_MIN 4096u
#define SUBBUF_SIZE_MAX (8u << 20)	/* 128 pages of 64 KiB */

/**
 * struct subbuf_layout - how a guest's sub-buffers are laid out
 * @big_endian: the guest's byte order
 * @size: bytes per sub-buffer, header included
 * @commit_offset: where the commit field is
 * @commit_size: its size, 4 or 8: the guest's long
 * @data_offset: where events begin
 */
struct subbuf_layout {
	bool big_endian;
	u32 size;
	u32 commit_offset;
	u32 commit_size;
	u32 data_offset;
};

/**
 * struct subbuf_info - what one sub-buffer holds
 * @events: data events in it
 * @first_ts: timestamp in the header, in units of the trace clock
 * @last_ts: timestamp of the last event
 * @bytes: bytes of data committed
 * @missed: events lost before this sub-buffer, as far as the kernel counted them
 * @missed_uncounted: events were lost here and the kernel had no room for the number
 */
struct subbuf_info {
	u64 events;
	u64 first_ts;
	u64 last_ts;
	u32 bytes;
	u64 missed;
	bool missed_uncounted;
};

/**
 * struct subbuf_event - one event of a sub-buffer
 * @ts: timestamp in units of the trace clock
 * @data: the event's payload, inside the sub-buffer
 * @len: its length in bytes
 */
struct subbuf_event {
	u64 ts;
	const void *data;
	u32 len;
};

/**
 * struct subbuf_iter - a walk over one sub-buffer
 * @layout: its layout
 * @data: where its events begin
 * @pos: bytes of @data behind the walk
 * @end: bytes of @data committed
 * @ts: timestamp of the last event taken
 */
struct subbuf_iter {
	const struct subbuf_layout *layout;
	const u8 *data;
	u32 pos, end;
	u64 ts;
};

/**
 * subbuf_layout_parse() - read the guest's events/header_page
 * @text: the file's contents, need not be terminated
 * @len: their length
 * @big_endian: the guest's byte order
 * @layout: the result
 *
 * Return: 0, -EINVAL when the text is not such a file or a figure is out of bounds.
 */
int subbuf_layout_parse(const char *text, size_t len, bool big_endian,
			struct subbuf_layout *layout);

/**
 * subbuf_scan() - check one sub-buffer and count what it holds
 * @layout: its layout
 * @subbuf: layout->size bytes, any alignment
 * @info: the result, valid up to the fault when there is one
 *
 * Return: 0, -EBADMSG when the commit field exceeds the sub-buffer or an
 * event crosses its end.
 */
int subbuf_scan(const struct subbuf_layout *layout, const void *subbuf,
		struct subbuf_info *info);

/**
 * subbuf_first() - begin a walk
 * @layout: the layout
 * @subbuf: layout->size bytes
 * @iter: the walk
 *
 * Return: 0 or -EBADMSG.
 */
int subbuf_first(const struct subbuf_layout *layout, const void *subbuf,
		 struct subbuf_iter *iter);

/**
 * subbuf_next() - the next data event
 * @iter: the walk
 * @event: the event
 *
 * Return: 1, 0 at the end, -EBADMSG.
 */
int subbuf_next(struct subbuf_iter *iter, struct subbuf_event *event);

/**
 * subbuf_cut() - make the head of a sub-buffer a whole one
 * @layout: its layout
 * @subbuf: layout->size bytes of which the first @len arrived; the rest is zeroed
 * @len: bytes that arrived
 *
 * The commit field is lowered to the last event that arrived whole.
 *
 * Return: the number of data events kept, -EBADMSG when not even the header arrived.
 */
ssize_t subbuf_cut(const struct subbuf_layout *layout, void *subbuf, u32 len);

#endif
