/* SPDX-License-Identifier: GPL-2.0-only */
/* The 9P2000.L server on agent-fs-path: the guest's tracefs and the agent's own files. */
#ifndef VIRTIO_TRACE_FS_H
#define VIRTIO_TRACE_FS_H

#include <stdio.h>

#include "types.h"

/**
 * struct fs_file - one file of /agent; a table ends with an entry without name
 * @name: its name
 * @show: write its contents to @out; called once per open, so that reads at
 *	different offsets agree. NULL: it can't be read. Returns 0 or -errno.
 * @store: take what one Twrite brought. NULL: it can't be written. Returns 0,
 *	-errno, or -EINPROGRESS: the reply waits until @settle says otherwise.
 * @settle: asked, after -EINPROGRESS, whenever wake_fd has fired: -EINPROGRESS,
 *	or the result of the write with that @ticket
 *
 * All three run on the server's thread.
 */
struct fs_file {
	const char *name;
	int (*show)(void *ctx, FILE *out);
	int (*store)(void *ctx, const char *data, size_t len, u64 *ticket);
	int (*settle)(void *ctx, u64 ticket);
};

/**
 * struct fs_config - what the server serves, and to whom
 * @port_fd: the byte stream, non-blocking: a virtio port, or a socket in tests
 * @stop_fd: eventfd; readable: end
 * @wake_fd: eventfd; readable: a write in progress may be over; the server reads it
 * @tracing: path of the guest's tracefs, served as /tracing
 * @kallsyms: path of the file served as /kallsyms
 * @files: the files of /agent
 * @ctx: handed to them
 */
struct fs_config {
	int port_fd;
	int stop_fd;
	int wake_fd;
	const char *tracing;
	const char *kallsyms;
	const struct fs_file *files;
	void *ctx;
};

/**
 * fs_serve() - answer 9P requests until told to stop
 * @cfg: see struct fs_config
 *
 * Return: 0 when stopped, -errno when the port failed for good (-ENODEV: unplugged).
 */
int fs_serve(const struct fs_config *cfg);

#endif
