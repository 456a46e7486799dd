// SPDX-License-Identifier: GPL-2.0-only
/* How is a port used whose host side sends everything back? */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "echo.h"
#include "faults.h"
#include "test.h"

#define TIMEOUT_MS 10000

static bool port_has_name(const char *file, const char *name)
{
	char line[64] = "";
	FILE *f = fopen(file, "r");

	if (!f)
		return false;
	if (fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = '\0';
	fclose(f);

	return !strcmp(line, name);
}

static int port_find(const char *name, char *port, size_t size)
{
	int ret = -ENOENT;
	glob_t found;
	size_t i;

	if (glob("/sys/class/virtio-ports/*/name", 0, NULL, &found))
		return -ENOENT;
	for (i = 0; i < found.gl_pathc; i++) {
		if (!port_has_name(found.gl_pathv[i], name))
			continue;
		*strrchr(found.gl_pathv[i], '/') = '\0';
		ret = snprintf(port, size, "%s", found.gl_pathv[i]);
		ret = ret < (int)size ? 0 : -ENAMETOOLONG;
		break;
	}
	globfree(&found);

	return ret;
}

void echo_discard(const struct echo *echo)
{
	struct pollfd p = { .fd = echo->fd, .events = POLLIN };
	static char data[65536];

	while (poll(&p, 1, 200) > 0 && p.revents & POLLIN)
		if (read(echo->fd, data, sizeof(data)) <= 0)
			break;
}

int echo_open(struct echo *echo, const char *name)
{
	char dev[80];
	int ret;

	memset(echo, 0, sizeof(*echo));
	echo->fd = -1;
	ret = port_find(name, echo->port, sizeof(echo->port));
	if (ret)
		return ret;

	snprintf(dev, sizeof(dev), "/dev%s", strrchr(echo->port, '/'));
	echo->fd = open(dev, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (echo->fd < 0)
		return -errno;
	/* An earlier test may have left something behind. */
	echo_discard(echo);

	return 0;
}

int echo_wait(const struct echo *echo, int seconds)
{
	struct pollfd p = { .fd = echo->fd, .events = POLLOUT };
	int tries;

	/* Until the host is connected, poll() does not wait: it says POLLHUP. */
	for (tries = seconds * 10; tries; tries--) {
		if (poll(&p, 1, 100) > 0 && p.revents & POLLOUT)
			return 0;
		usleep(100000);
	}
	return -ETIMEDOUT;
}

void echo_block(const struct echo *echo, bool block)
{
	int flags = fcntl(echo->fd, F_GETFL);

	fcntl(echo->fd, F_SETFL, block ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);
}

int echo_stall(struct echo *echo)
{
	char data[1024];
	ssize_t n;
	int quiet;

	/* The host may take some more with a delay. */
	for (quiet = 0; quiet < 5; quiet++) {
		for (;;) {
			pattern_fill(data, sizeof(data), echo->sent);
			n = faulty_write(echo->fd, data, sizeof(data));
			if (n <= 0)
				break;
			echo->sent += n;
			quiet = 0;
		}
		if (n == 0)
			return -EIO;
		if (n != -EAGAIN)
			return n;
		usleep(100000);
	}
	return 0;
}

int echo_read(struct echo *echo, void *data, size_t len)
{
	struct pollfd p = { .fd = echo->fd, .events = POLLIN };
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		if (poll(&p, 1, TIMEOUT_MS) <= 0)
			return -ETIMEDOUT;
		n = read(echo->fd, (char *)data + done, len - done);
		if (n == 0)
			return -EPIPE;
		if (n < 0 && errno != EAGAIN)
			return -errno;
		if (n > 0)
			done += n;
	}
	echo->got += len;

	return 0;
}

int echo_expect(struct echo *echo, size_t len)
{
	static char data[65536], want[65536];
	size_t n;
	int ret;

	for (; len; len -= n) {
		n = len < sizeof(data) ? len : sizeof(data);
		pattern_fill(want, n, echo->got);
		ret = echo_read(echo, data, n);
		if (ret)
			return ret;
		if (memcmp(data, want, n))
			return -EBADMSG;
	}
	return 0;
}

int echo_check(struct echo *echo)
{
	return echo_expect(echo, echo->sent - echo->got);
}

ssize_t echo_splice(struct echo *echo, int pipe[2], size_t len, unsigned int flags)
{
	ssize_t n = faulty_splice(pipe[0], echo->fd, len, flags);

	if (n > 0)
		echo->sent += n;

	return n;
}

int echo_drain(struct echo *echo, int pipe[2], unsigned int flags)
{
	size_t end = echo->sent + pipe_bytes(pipe);
	ssize_t n;
	int ret;

	while (echo->sent < end) {
		n = echo_splice(echo, pipe, end - echo->sent, flags | SPLICE_F_NONBLOCK);
		if (n == -EAGAIN) {
			ret = echo_check(echo) ?: echo_wait(echo, 5);
			if (ret)
				return ret;
			continue;
		}
		if (n <= 0) {
			test_note("splice: %zd, %zu bytes are left", n, pipe_bytes(pipe));
			return -EIO;
		}
		if (echo->sent + pipe_bytes(pipe) != end) {
			test_note("%zu bytes lost", end - echo->sent - pipe_bytes(pipe));
			return -EIO;
		}
	}
	return echo_check(echo);
}

int echo_send(struct echo *echo, size_t size, unsigned int flags)
{
	int pipe[2], ret = pipe_open(pipe, size);

	if (ret == -EPERM) {
		test_note("a pipe of %zu bytes needs root", size);
		return TEST_SKIP;
	}
	if (ret)
		return ret;
	ret = echo_wait(echo, 5) ?: pipe_fill(pipe, size, echo->sent) ?:
		echo_drain(echo, pipe, flags);
	pipe_close(pipe);

	return ret;
}

/* Multiplying by an odd number maps the words one to one. */
void pattern_fill(void *data, size_t len, size_t offset)
{
	unsigned char *byte = data;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned int word = (unsigned int)((offset + i) / 4) * 2654435761U;

		byte[i] = word >> (offset + i) % 4 * 8;
	}
}

int pipe_open(int fds[2], size_t size)
{
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	if (fcntl(fds[0], F_SETPIPE_SZ, size) < (int)size) {
		int err = errno;

		pipe_close(fds);
		return -err;
	}
	return 0;
}

void pipe_close(int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

int pipe_fill(int fds[2], size_t len, size_t offset)
{
	char data[ECHO_PAGE];
	size_t done, n;

	for (done = 0; done < len; done += n) {
		n = len - done < sizeof(data) ? len - done : sizeof(data);
		pattern_fill(data, n, offset + done);
		if (write(fds[1], data, n) != (ssize_t)n)
			return -errno;
	}
	return 0;
}

size_t pipe_bytes(int fds[2])
{
	int n = 0;

	ioctl(fds[0], FIONREAD, &n);
	return n;
}

int file_write(const char *path, const char *word)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, word, strlen(word)) < 0)
		ret = -errno;
	close(fd);

	return ret;
}
