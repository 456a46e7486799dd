/* SPDX-License-Identifier: GPL-2.0-only */
/* Which files does the client hold, and what is open of them? */
#ifndef VIRTIO_TRACE_FS_FID_H
#define VIRTIO_TRACE_FS_FID_H

#include "fs.h"

#define FS_FID_BUCKETS 256

/**
 * struct fs_fid - a file the client has walked to
 * @next: in its bucket
 * @id: the number the client gave it
 * @opened: by Tlopen or Tlcreate
 * @nonblock: the client wants EAGAIN rather than to wait
 * @flags: O_* it was opened with
 * @fd: when opened and the guest's, else -1
 * @file: when opened and one of /agent
 * @text: what @file->show() wrote, NULL before the first read
 * @text_len: length of @text
 * @path: where it is, see fs_path_step()
 */
struct fs_fid {
	struct fs_fid *next;
	u32 id;
	bool opened;
	bool nonblock;
	int flags;
	int fd;
	const struct fs_file *file;
	char *text;
	size_t text_len;
	char *path;
};

/**
 * struct fs_fids - all of them
 * @bucket: by the low bits of the number
 * @count: how many
 * @open_count: how many are opened
 * @text_bytes: memory of all @text
 * @path_bytes: memory of all @path
 */
struct fs_fids {
	struct fs_fid *bucket[FS_FID_BUCKETS];
	unsigned int count;
	unsigned int open_count;
	size_t text_bytes;
	size_t path_bytes;
};

/**
 * fs_fid_get() - find a fid
 * @fids: where
 * @id: its number
 *
 * Return: the fid, NULL when there is none.
 */
struct fs_fid *fs_fid_get(const struct fs_fids *fids, u32 id);

/**
 * fs_fid_add() - make a fid
 * @fids: where to
 * @id: its number
 * @path: where it is
 *
 * Return: 0, -EEXIST, -ENFILE or -ENOMEM.
 */
int fs_fid_add(struct fs_fids *fids, u32 id, const char *path);

/**
 * fs_fid_move() - let a fid stand for another file
 * @fids: where it is
 * @fid: the fid
 * @path: the other file
 *
 * Return: 0 or -ENOMEM.
 */
int fs_fid_move(struct fs_fids *fids, struct fs_fid *fid, const char *path);

/**
 * fs_fid_set_open() - the fid's file was opened
 * @fids: where it is
 * @fid: the fid, not opened before
 * @fd: descriptor that is the fid's from now on, -1 for our own files
 */
void fs_fid_set_open(struct fs_fids *fids, struct fs_fid *fid, int fd);

/**
 * fs_fid_drop() - forget a fid and close what is open of it
 * @fids: where it is
 * @fid: the fid
 */
void fs_fid_drop(struct fs_fids *fids, struct fs_fid *fid);

/**
 * fs_fid_drop_all() - forget them all
 * @fids: where they are
 */
void fs_fid_drop_all(struct fs_fids *fids);

#endif
