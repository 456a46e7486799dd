/* SPDX-License-Identifier: GPL-2.0-only */
/* One client's session: its requests, its fids, and what it is waiting for. */
#ifndef VIRTIO_TRACE_FS_SESSION_H
#define VIRTIO_TRACE_FS_SESSION_H

#include "fs-fid.h"
#include "fs-limits.h"
#include "fs-tree.h"
#include "p9.h"

/* What Rread and Rreaddir need beside their data: header and count[4]. */
#define FS_REPLY_OVERHEAD (P9_HEADER_SIZE + 4)

/**
 * struct fs_pending - a request whose reply has to wait
 * @tag: the request's
 * @is_write: a write to a file of /agent; else a read of one of the guest's
 * @due: worth another try
 * @err: not 0: the reply, without a try
 * @fid: the file; NULL with @err
 * @offset: of the read
 * @count: of the read or write
 * @ticket: of the write, see struct fs_file
 */
struct fs_pending {
	u16 tag;
	bool is_write;
	bool due;
	int err;
	struct fs_fid *fid;
	u64 offset;
	u32 count;
	u64 ticket;
};

/**
 * struct fs_session - the state of the one session there is
 * @cfg: what is served
 * @poll_fd: epoll that waits for the files of pending reads
 * @msize: negotiated by Tversion, 0 before
 * @tree: the files
 * @fids: those of the client
 * @pending_count: how many of @pending are used
 * @pending: requests that wait, oldest first
 */
struct fs_session {
	const struct fs_config *cfg;
	int poll_fd;
	u32 msize;
	struct fs_tree tree;
	struct fs_fids fids;
	unsigned int pending_count;
	struct fs_pending pending[FS_PENDING_MAX];
};

/**
 * fs_session_open() - be ready for a client
 * @s: the session
 * @cfg: what is served
 * @poll_fd: epoll; data.fd of what is added tells the file
 *
 * Return: 0, or -errno when the tracing directory can't be opened.
 */
int fs_session_open(struct fs_session *s, const struct fs_config *cfg, int poll_fd);

/**
 * fs_session_close() - undo fs_session_open()
 * @s: the session
 */
void fs_session_close(struct fs_session *s);

/**
 * fs_session_reset() - forget the client: its fids and what it is waiting for
 * @s: the session
 */
void fs_session_reset(struct fs_session *s);

/**
 * fs_session_answer() - do what a message asks for
 * @s: the session
 * @buf: the message; the reply is built over it, P9_MSIZE_MAX bytes of room
 * @len: the message's length
 *
 * Return: the reply's length, 0 when there is none now, -EPROTO when what came is
 * no Tversion, with which every session begins.
 */
int fs_session_answer(struct fs_session *s, u8 *buf, size_t len);

/**
 * fs_session_resume() - answer a pending request that can be answered now
 * @s: the session
 * @buf: where the reply is built, P9_MSIZE_MAX bytes
 *
 * Return: the reply's length, 0 when all have to wait on.
 */
int fs_session_resume(struct fs_session *s, u8 *buf);

#endif
