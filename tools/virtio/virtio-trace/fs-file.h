/* SPDX-License-Identifier: GPL-2.0-only */
/* What a client does with the file behind one fid. */
#ifndef VIRTIO_TRACE_FS_FILE_H
#define VIRTIO_TRACE_FS_FILE_H

#include "fs-session.h"

/**
 * fs_file_open() - open a fid's file
 * @s: the session
 * @fid: the fid
 * @flags: enum p9_open
 *
 * Return: 0 or -errno.
 */
int fs_file_open(struct fs_session *s, struct fs_fid *fid, u32 flags);

/**
 * fs_file_create() - make a file and open it
 * @s: the session
 * @fid: the directory; the new file afterwards
 * @req: Tlcreate
 *
 * Return: 0 or -errno.
 */
int fs_file_create(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req);

/**
 * fs_file_truncate() - do what O_TRUNC does
 * @s: the session
 * @fid: the fid, opened or not
 *
 * In tracefs it is opening with O_TRUNC that clears. A fid that is open for writing gets
 * a new descriptor, because the old one may have taken a copy of what is to be cleared.
 *
 * Return: 0 or -errno.
 */
int fs_file_truncate(struct fs_session *s, struct fs_fid *fid);

/**
 * fs_file_read() - read from an opened fid
 * @s: the session
 * @fid: the fid
 * @offset: where from; files that can't seek are read where they are
 * @data: where to
 * @count: how much, at most
 *
 * Return: bytes read, 0 at the end, -errno; -EAGAIN when there is nothing now.
 */
ssize_t fs_file_read(struct fs_session *s, struct fs_fid *fid, u64 offset, char *data,
		     size_t count);

/**
 * fs_file_write() - write to an opened fid
 * @s: the session
 * @fid: the fid
 * @offset: where to; files that can't seek are written where they are
 * @data: what; one write() for all of it
 * @ticket: set when the write is in progress
 *
 * Return: bytes written, -errno; -EINPROGRESS from a file of /agent.
 */
ssize_t fs_file_write(struct fs_session *s, const struct fs_fid *fid, u64 offset,
		      struct p9_str data, u64 *ticket);

/**
 * fs_file_readdir() - list an opened directory
 * @s: the session
 * @fid: the fid
 * @offset: 0, or what the last entry seen tells
 * @data: where the entries go
 * @count: room there
 *
 * Return: bytes used, 0 at the end, -EINVAL when not even one entry fits, -errno.
 */
ssize_t fs_file_readdir(struct fs_session *s, const struct fs_fid *fid, u64 offset, char *data,
			size_t count);

#endif
