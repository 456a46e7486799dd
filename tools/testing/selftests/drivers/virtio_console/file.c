// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of the pages of a file that is spliced into a port?
 *
 * Theory of operation: only clean pages can be taken out of the page cache, which those of
 * the file systems in memory never are. So the file is FUSE's, of a file system that has
 * nothing else, and a process of our own is its server: a thread would be gone when the
 * file is closed at the end of the process, which waits for an answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "test.h"
#include "tests.h"

#define NR_PAGES	4
#define FILE_SIZE	(NR_PAGES * ECHO_PAGE)

/* Its bytes are those of the pattern from @start on. */
struct file {
	int dev;
	int fd;
	size_t start;
	void *map;
};

struct request {
	struct fuse_in_header head;
	char body[FUSE_MIN_READ_BUFFER];
};

static void answer(const struct file *file, const struct request *request, int error,
		   const void *body, size_t len)
{
	struct fuse_out_header head = {
		.len = sizeof(head) + len,
		.error = error,
		.unique = request->head.unique,
	};
	struct iovec iov[2] = {
		{ .iov_base = &head, .iov_len = sizeof(head) },
		{ .iov_base = (void *)body, .iov_len = len },
	};

	if (writev(file->dev, iov, 2) < 0)
		perror("file: reply");
}

static void init_answer(const struct file *file, const struct request *request)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_write = ECHO_PAGE,
	};

	answer(file, request, 0, &out, sizeof(out));
}

static void getattr_answer(const struct file *file, const struct request *request)
{
	const struct fuse_attr_out out = {
		.attr_valid = 3600,
		.attr = { .ino = 1, .size = FILE_SIZE, .mode = S_IFREG | 0600, .nlink = 1 },
	};

	answer(file, request, 0, &out, sizeof(out));
}

static void read_answer(const struct file *file, const struct request *request)
{
	const struct fuse_read_in *in = (const void *)request->body;
	size_t len = in->offset < FILE_SIZE ? FILE_SIZE - in->offset : 0;
	char data[FILE_SIZE];

	if (len > in->size)
		len = in->size;
	pattern_fill(data, len, file->start + in->offset);
	answer(file, request, 0, data, len);
}

static void request_answer(const struct file *file, const struct request *request)
{
	static const struct fuse_open_out opened;

	switch (request->head.opcode) {
	case FUSE_INIT:
		return init_answer(file, request);
	case FUSE_GETATTR:
		return getattr_answer(file, request);
	case FUSE_OPEN:
		return answer(file, request, 0, &opened, sizeof(opened));
	case FUSE_READ:
		return read_answer(file, request);
	case FUSE_FLUSH:
	case FUSE_RELEASE:
		return answer(file, request, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		answer(file, request, -EOPNOTSUPP, NULL, 0);
	}
}

/* It ends with the file system. The port can't be opened again while anybody has it. */
static void server_main(const struct file *file)
{
	static struct request request;
	int fd;

	for (fd = 3; fd < 64; fd++)
		if (fd != file->dev)
			close(fd);
	while (read(file->dev, &request, sizeof(request)) > 0 || errno == EINTR)
		request_answer(file, &request);
	_exit(0);
}

/* Before it is mounted, there is nothing to serve. */
static int file_serve(struct file *file, const char *path)
{
	struct stat st;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0)
		server_main(file);
	close(file->dev);
	file->fd = open(path, O_RDONLY | O_CLOEXEC);

	/* That it has a size is only known to who asks. */
	return file->fd < 0 || fstat(file->fd, &st) ? -errno : 0;
}

/* Nothing of the file system is left to be undone but what goes with the process. */
static int file_mount(struct file *file)
{
	char path[] = "/tmp/virtio_console.XXXXXX", options[64];
	int ret, fd = mkstemp(path);

	if (fd < 0)
		return -errno;
	close(fd);
	snprintf(options, sizeof(options), "fd=%d,rootmode=100000,user_id=0,group_id=0",
		 file->dev);
	if (mount("virtio_console", path, "fuse", MS_NOSUID | MS_NODEV, options)) {
		ret = errno == EPERM ? TEST_SKIP : -errno;
	} else {
		ret = file_serve(file, path);
		umount2(path, MNT_DETACH);
	}
	unlink(path);

	return ret;
}

static int file_open(struct file *file)
{
	int ret;

	file->dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (file->dev < 0) {
		test_note("no FUSE");
		return TEST_SKIP;
	}
	ret = file_mount(file);
	if (ret)
		return ret;
	file->map = mmap(NULL, FILE_SIZE, PROT_READ, MAP_PRIVATE, file->fd, 0);

	return file->map == MAP_FAILED ? -errno : 0;
}

/* How many of its pages are in the page cache? Nobody has looked at them by the mapping. */
static int file_cached(const struct file *file)
{
	unsigned char pages[NR_PAGES] = { 0 };
	int i, n = 0;

	if (mincore(file->map, FILE_SIZE, pages))
		return -errno;
	for (i = 0; i < NR_PAGES; i++)
		n += pages[i] & 1;

	return n;
}

/* The advice has no page go that is in the pipe, but lets go of what else holds them. */
static int file_to_pipe(const struct file *file, size_t len, int pipe[2])
{
	loff_t offset = 0;
	ssize_t n;

	while (offset < (loff_t)len) {
		n = splice(file->fd, &offset, pipe[1], NULL, len - offset, 0);
		if (n <= 0)
			return n ? -errno : -EIO;
	}
	return -posix_fadvise(file->fd, 0, len, POSIX_FADV_DONTNEED);
}

/* Puts some pages of a new file into a pipe, and splices from there to the port. */
static int file_send(struct echo *echo, struct file *file, int pipe[2], int pages, size_t len,
		     unsigned int flags)
{
	int ret = pipe_open(pipe, 16 * ECHO_PAGE);
	ssize_t n;

	file->start = echo->sent;
	ret = ret ?: echo_wait(echo, 5) ?: file_open(file) ?:
		file_to_pipe(file, pages * ECHO_PAGE, pipe);
	if (ret)
		return ret;
	n = echo_splice(echo, pipe, len, flags);
	if (n == (ssize_t)len)
		return 0;
	test_note("splice of %zu bytes: %zd", len, n);

	return -EIO;
}

/* Are its pages such that can be taken? Otherwise no test here says anything. */
static int file_moves(struct echo *echo)
{
	struct file file;
	int pipe[2], ret = file_send(echo, &file, pipe, NR_PAGES, FILE_SIZE, SPLICE_F_MOVE);

	if (ret)
		return ret;
	if (file_cached(&file)) {
		test_note("%d pages of the file stay where they are", file_cached(&file));
		return TEST_SKIP;
	}
	return echo_check(echo);
}

static int file_kept(const struct file *file, int pages)
{
	int n = file_cached(file);

	if (n == pages)
		return 0;
	test_note("%d of %d pages of the file are left in the page cache", n, pages);
	return -EIO;
}

/* Sending a file does not take it out of the page cache, unless that is asked for. */
int test_cached(struct echo *echo)
{
	struct file file;
	int pipe[2];

	return file_moves(echo) ?:
		file_send(echo, &file, pipe, NR_PAGES, FILE_SIZE, 0) ?:
		file_kept(&file, NR_PAGES) ?:
		echo_check(echo);
}

/* A page of which a part was sent is still the file's, and the rest of it the pipe's. */
int test_partial(struct echo *echo)
{
	char got[ECHO_PAGE], want[ECHO_PAGE];
	struct file file;
	int pipe[2], ret;
	ssize_t n;

	ret = file_moves(echo) ?:
		file_send(echo, &file, pipe, 1, 100, SPLICE_F_MOVE) ?:
		file_kept(&file, 1) ?:
		echo_check(echo);
	if (ret)
		return ret;
	pattern_fill(want, sizeof(want), file.start);
	n = read(pipe[0], got, sizeof(got));
	if (n != (ssize_t)ECHO_PAGE - 100 || memcmp(got, want + 100, n)) {
		test_note("the pipe has %zd bytes, which may be wrong", n);
		return -EBADMSG;
	}
	return 0;
}
