/* SPDX-License-Identifier: GPL-2.0-only */
/* Where does a 9P message begin and end in a byte stream whose clients come and go? */
#ifndef VIRTIO_TRACE_FS_STREAM_H
#define VIRTIO_TRACE_FS_STREAM_H

#include "p9.h"

#define FS_TVERSION_MIN 19		/* header, msize and the version "9P2000" */
#define FS_TVERSION_MAX 64		/* the longest that is recognised in a broken stream */

/**
 * struct fs_stream - the bytes of one message, and what is needed around it
 * @map: the mapping that holds past, message and what was read ahead
 * @buf: the message; FS_TVERSION_MAX bytes of room before it hold the past
 * @past: how many bytes before @buf are the end of what came before
 * @have: bytes received at @buf, what was read ahead included
 * @size: the message's length; 0: not known yet
 * @msize: longest message accepted
 * @used: bytes of @buf that may have been touched
 * @lost: the stream makes no sense; looking for a Tversion
 * @ahead_len: bytes in @ahead
 * @ahead: bytes behind the message while @buf is lent out
 */
struct fs_stream {
	u8 *map;
	u8 *buf;
	size_t past;
	size_t have;
	size_t size;
	size_t msize;
	size_t used;
	bool lost;
	size_t ahead_len;
	u8 ahead[FS_TVERSION_MAX + 4];
};

/**
 * fs_stream_open() - get the buffer; its memory is used only as it is touched
 * @st: the stream
 *
 * Return: 0 or -ENOMEM.
 */
int fs_stream_open(struct fs_stream *st);

/**
 * fs_stream_close() - give the buffer back
 * @st: the stream
 */
void fs_stream_close(struct fs_stream *st);

/**
 * fs_stream_reset() - the connection ended: the rest of a message will never come
 * @st: the stream
 */
void fs_stream_reset(struct fs_stream *st);

/**
 * fs_stream_room() - where the next bytes have to go
 * @st: the stream
 * @room: how many are wanted, at least 1
 *
 * Return: the place.
 */
void *fs_stream_room(struct fs_stream *st, size_t *room);

/**
 * fs_stream_fed() - tell that bytes were put where fs_stream_room() said
 * @st: the stream
 * @len: how many
 */
void fs_stream_fed(struct fs_stream *st, size_t len);

/**
 * fs_stream_next() - is a message complete?
 * @st: the stream
 * @dry: nothing more can be read now
 *
 * A complete message lies at @st->buf, which the caller may then overwrite until
 * fs_stream_done(). Without @dry a message whose last bytes might begin a Tversion
 * is held back until more was read.
 *
 * Return: its length, 0 when more bytes are needed.
 */
size_t fs_stream_next(struct fs_stream *st, bool dry);

/**
 * fs_stream_lend() - use @st->buf for a reply to an older request
 * @st: the stream
 *
 * Return: true until fs_stream_done(); false while a message is being received.
 */
bool fs_stream_lend(struct fs_stream *st);

/**
 * fs_stream_done() - the message was answered: make ready for the next
 * @st: the stream
 * @touched: length of the reply that was built in @st->buf
 */
void fs_stream_done(struct fs_stream *st, size_t touched);

/**
 * fs_stream_lose() - what came is no 9P session: look for a Tversion
 * @st: the stream, between fs_stream_next() and fs_stream_done()
 */
void fs_stream_lose(struct fs_stream *st);

/**
 * fs_stream_is_suspect() - does a Tversion end what has come of an incomplete message?
 * @st: the stream
 *
 * Return: true when FS_QUIET_MS of silence should lead to fs_stream_resync().
 */
bool fs_stream_is_suspect(const struct fs_stream *st);

/**
 * fs_stream_resync() - give up the incomplete message for the Tversion at its end
 * @st: the stream; fs_stream_next() has the Tversion then
 */
void fs_stream_resync(struct fs_stream *st);

/**
 * fs_stream_trim() - give memory back that a big message touched
 * @st: the stream; nothing of it is lent out
 */
void fs_stream_trim(struct fs_stream *st);

#endif
