/* SPDX-License-Identifier: GPL-2.0-only */
/* The guest's files over agent-fs-path: a source that can also write. */
#ifndef VIRTIO_TRACE_P9CLIENT_H
#define VIRTIO_TRACE_P9CLIENT_H

#include "../types.h"
#include "p9session.h"
#include "source.h"

#define P9CLIENT_LIST_MAX (4u << 20)	/* bytes of names in one directory */

/**
 * struct p9client - a guest's files
 * @source: to read and list them. A sink must not use the client; the callback of
 *	list() may, for it is called when all names are there.
 * @session: how they are reached; timeout, pump and so on are set there
 */
struct p9client {
	struct source source;
	struct p9session session;
};

/**
 * p9client_open() - begin a session, see p9session_open()
 * @fd: the socket; the client's from now on, also on error
 * @name: what messages call the guest
 * @timeout_ms: how long one answer may take; 0: for ever
 * @out: the client
 *
 * Return: 0 or -errno.
 */
int p9client_open(int fd, const char *name, u32 timeout_ms, struct p9client **out);

/**
 * p9client_close() - end the session
 * @client: the client; NULL is allowed
 */
void p9client_close(struct p9client *client);

/**
 * p9client_write() - open a file, write once, close it
 * @client: the client
 * @path: the file
 * @data: what to write
 * @len: length, at most a page: it goes out in one request
 * @truncate: open it as "> FILE" does, not as ">> FILE"
 *
 * Return: 0 or -errno, the guest's errno included; -EIO when less was taken.
 */
int p9client_write(struct p9client *client, const char *path, const char *data, size_t len,
		   bool truncate);

/**
 * p9client_mkdir() - make a directory
 * @client: the client
 * @path: its path
 *
 * Return: 0 or -errno.
 */
int p9client_mkdir(struct p9client *client, const char *path);

/**
 * p9client_rmdir() - remove a directory
 * @client: the client
 * @path: its path
 *
 * Return: 0 or -errno.
 */
int p9client_rmdir(struct p9client *client, const char *path);

#endif
