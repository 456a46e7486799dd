// SPDX-License-Identifier: GPL-2.0-only
/* How does a test get a file whose pages are moved out of a pipe, where they can be? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "fusefile.h"

#define PAGE_BYTES	4096

struct server {
	int dev;
	int pipe;
	int reply[2];
	size_t size;
};

struct request {
	struct fuse_in_header head;
	char body[FUSE_MIN_READ_BUFFER + PAGE_BYTES];
};

static void answer_send(const struct server *server, const struct request *request,
			const void *body, size_t len)
{
	struct {
		struct fuse_out_header head;
		char body[256];
	} out = {
		.head = {
			.len = sizeof(out.head) + len,
			.unique = request->head.unique,
		},
	};

	memcpy(out.body, body, len);
	if (write(server->dev, &out, out.head.len) < 0 && errno != ENOENT)
		perror("fusefile: reply");
}

static void error_send(const struct server *server, const struct request *request, int error)
{
	struct fuse_out_header out = {
		.len = sizeof(out), .error = error, .unique = request->head.unique,
	};

	if (write(server->dev, &out, sizeof(out)) < 0 && errno != ENOENT)
		perror("fusefile: reply");
}

static void init_serve(const struct server *server, const struct request *request)
{
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = PAGE_BYTES,
		.max_write = PAGE_BYTES,
	};

	answer_send(server, request, &out, sizeof(out));
}

static void getattr_serve(const struct server *server, const struct request *request)
{
	struct fuse_attr_out out = {
		.attr_valid = 3600,
		.attr = {
			.ino = 1,
			.size = server->size,
			.mode = S_IFREG | 0600,
			.nlink = 1,
		},
	};

	answer_send(server, request, &out, sizeof(out));
}

static void write_serve(const struct server *server, const struct request *request)
{
	const struct fuse_write_in *in = (const void *)request->body;
	struct fuse_write_out out = { .size = in->size };

	answer_send(server, request, &out, sizeof(out));
}

/* Pages are asked for in order, so the pipe has them in order. */
static void read_serve(const struct server *server, const struct request *request)
{
	const struct fuse_read_in *in = (const void *)request->body;
	struct fuse_out_header out = { .unique = request->head.unique };
	size_t len = in->offset < server->size ? server->size - in->offset : 0;
	ssize_t moved;

	if (len > in->size)
		len = in->size;
	out.len = sizeof(out) + len;
	if (write(server->reply[1], &out, sizeof(out)) != sizeof(out))
		perror("fusefile: header");
	for (; len; len -= moved) {
		moved = splice(server->pipe, NULL, server->reply[1], NULL, len, SPLICE_F_MOVE);
		if (moved <= 0) {
			perror("fusefile: splice");
			exit(1);
		}
	}
	if (splice(server->reply[0], NULL, server->dev, NULL, out.len, SPLICE_F_MOVE) < 0)
		perror("fusefile: splice to the kernel");
}

static void request_serve(const struct server *server, const struct request *request)
{
	static const struct fuse_open_out opened;

	switch (request->head.opcode) {
	case FUSE_INIT:
		return init_serve(server, request);
	case FUSE_GETATTR:
	case FUSE_SETATTR:
		return getattr_serve(server, request);
	case FUSE_OPEN:
		return answer_send(server, request, &opened, sizeof(opened));
	case FUSE_READ:
		return read_serve(server, request);
	case FUSE_WRITE:
		return write_serve(server, request);
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return error_send(server, request, 0);
	case FUSE_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		error_send(server, request, -EOPNOTSUPP);
	}
}

static void serve(const struct server *server)
{
	static struct request request;

	/* After the file is unmounted there is nothing more to read. */
	while (read(server->dev, &request, sizeof(request)) > 0 || errno == EINTR)
		request_serve(server, &request);
}

static int file_make(struct fusefile *file)
{
	int fd;

	*file = (struct fusefile){ .path = "/tmp/splice_test.XXXXXX" };
	fd = mkstemp(file->path);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int fusefile_mount(struct fusefile *file, int pipe, size_t size)
{
	struct server server = { .pipe = pipe, .size = size };
	char options[64];
	int err;

	server.dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (server.dev < 0)
		return -errno;
	err = file_make(file);
	if (err)
		goto err_close;
	snprintf(options, sizeof(options), "fd=%d,rootmode=100000,user_id=0,group_id=0",
		 server.dev);
	if (mount("splice_test", file->path, "fuse", MS_NOSUID | MS_NODEV, options) ||
	    pipe2(server.reply, O_CLOEXEC)) {
		err = -errno;
		goto err_unlink;
	}

	file->server = fork();
	if (!file->server) {
		serve(&server);
		_exit(0);
	}
	close(server.reply[0]);
	close(server.reply[1]);
	close(server.dev);
	return 0;

err_unlink:
	unlink(file->path);
err_close:
	close(server.dev);
	return err;
}

void fusefile_umount(struct fusefile *file)
{
	umount2(file->path, MNT_DETACH);
	unlink(file->path);
	kill(file->server, SIGKILL);
	waitpid(file->server, NULL, 0);
}
