/* SPDX-License-Identifier: GPL-2.0-only */
/* Which requests wait for their reply, and what ends the wait? */
#ifndef VIRTIO_TRACE_FS_PENDING_H
#define VIRTIO_TRACE_FS_PENDING_H

#include "fs-session.h"

/**
 * fs_pending_add() - let a request wait
 * @s: the session
 * @p: the request; a read's file is watched from now on
 *
 * Return: -EINPROGRESS, -ENOBUFS when too many wait, -EAGAIN when the file can't be
 * watched. Linux repeats a Twrite for ever that is refused with EAGAIN.
 */
int fs_pending_add(struct fs_session *s, const struct fs_pending *p);

/**
 * fs_pending_is_full() - do as many wait as may?
 * @s: the session
 *
 * Return: true when fs_pending_add() would fail.
 */
bool fs_pending_is_full(const struct fs_session *s);

/**
 * fs_pending_flush() - forget a request: nobody waits for its reply any more
 * @s: the session
 * @tag: the request's
 */
void fs_pending_flush(struct fs_session *s, u16 tag);

/**
 * fs_pending_orphan() - a fid goes away: its requests are to be answered with EINTR
 * @s: the session
 * @fid: the fid
 */
void fs_pending_orphan(struct fs_session *s, const struct fs_fid *fid);

/**
 * fs_pending_ready() - a file may be readable now
 * @s: the session
 * @fd: its descriptor
 */
void fs_pending_ready(struct fs_session *s, int fd);

/**
 * fs_pending_settle() - a write in progress may be over
 * @s: the session
 */
void fs_pending_settle(struct fs_session *s);

/**
 * fs_pending_retry() - try all pending reads again, whatever poll() says
 * @s: the session
 *
 * Between two calls each file wakes us at most once: some always claim to be ready.
 */
void fs_pending_retry(struct fs_session *s);

/**
 * fs_pending_is_reading() - does a read wait?
 * @s: the session
 *
 * Return: true when fs_pending_retry() should be called from time to time.
 */
bool fs_pending_is_reading(const struct fs_session *s);

/**
 * fs_pending_is_due() - is there a request to be tried again?
 * @s: the session
 *
 * Return: true when fs_session_resume() should be called.
 */
bool fs_pending_is_due(const struct fs_session *s);

/**
 * fs_pending_next() - try the requests that are due until one can be answered
 * @s: the session
 * @rep: the reply
 * @data: where the data of Rread has to go
 *
 * Return: 0 with @rep complete, -errno to reply with @rep->tag, -EINPROGRESS when all
 * have to wait on.
 */
int fs_pending_next(struct fs_session *s, struct p9_fcall *rep, char *data);

#endif
