// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does splice() into a port send what it says it sent, and only wait where it may?
 *
 * Theory of operation: the tests need two ports, on a device of their own, as some of them
 * take it away. What goes into "selftest.echo" has to come back. With QEMU:
 *
 *	mkfifo echo.in echo.out; cat < echo.out > echo.in &
 *	qemu ... -device virtio-serial-pci,id=st
 *		-chardev pipe,id=echo,path=echo
 *		-device virtserialport,bus=st.0,chardev=echo,name=selftest.echo
 *		-chardev socket,id=absent,path=absent,server=on,wait=off
 *		-device virtserialport,bus=st.0,chardev=absent,name=selftest.absent
 *
 * A test that does not read makes that a slow host, with no help from outside. Nobody
 * ever connects to "selftest.absent". With indirect_desc=off for the device, the
 * queue runs out of descriptors sooner; both ways are worth a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device.h"
#include "subbuf.h"
#include "test.h"
#include "writers.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define ECHO_PORT	"selftest.echo"
#define ABSENT_PORT	"selftest.absent"

static ssize_t port_splice(struct echo *echo, int pipe[2], size_t len, unsigned int flags)
{
	ssize_t n = splice(pipe[0], NULL, echo->fd, NULL, len, flags);

	if (n < 0)
		return -errno;
	echo->sent += n;

	return n;
}

/* Splices of less than the pipe holds, of each kind of length. */
static int test_short(struct echo *echo)
{
	static const size_t lens[] = {
		1, 4095, 4096, 4097, 8192, 5 * ECHO_PAGE + 7, 16 * ECHO_PAGE
	};
	int pipe[2], ret;
	size_t i;
	ssize_t n;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		ret = pipe_open(pipe, 16 * ECHO_PAGE);
		if (!ret)
			ret = echo_wait(echo, 5);
		if (!ret)
			ret = pipe_fill(pipe, 16 * ECHO_PAGE, echo->sent);
		if (ret)
			return ret;
		n = port_splice(echo, pipe, lens[i], 0);
		pipe_close(pipe);
		if (n != (ssize_t)lens[i]) {
			test_note("splice of %zu bytes: %zd", lens[i], n);
			return -EIO;
		}
		ret = echo_check(echo);
		if (ret)
			return ret;
	}
	return 0;
}

/* Splice until the pipe is empty, reading what comes back only when nothing else goes. */
static int pipe_drain(struct echo *echo, int pipe[2])
{
	size_t before = echo->sent, len = pipe_bytes(pipe);
	ssize_t n;
	int ret;

	while (echo->sent < before + len) {
		n = port_splice(echo, pipe, len, SPLICE_F_NONBLOCK);
		if (n == -EAGAIN) {
			ret = echo_check(echo);
			if (ret)
				return ret;
			ret = echo_wait(echo, 5);
			if (ret)
				return ret;
			continue;
		}
		if (n <= 0) {
			test_note("splice: %zd, %zu bytes are left", n, pipe_bytes(pipe));
			return -EIO;
		}
		if (echo->sent + pipe_bytes(pipe) != before + len) {
			test_note("%zu bytes lost", before + len - echo->sent - pipe_bytes(pipe));
			return -EIO;
		}
	}
	return echo_check(echo);
}

static int pipe_send(struct echo *echo, size_t size)
{
	int pipe[2], ret = pipe_open(pipe, size);

	if (ret == -EPERM) {
		test_note("a pipe of %zu bytes needs root", size);
		return TEST_SKIP;
	}
	if (!ret)
		ret = echo_wait(echo, 5);
	if (!ret)
		ret = pipe_fill(pipe, size, echo->sent);
	if (!ret)
		ret = pipe_drain(echo, pipe);

	return ret;
}

/* More pages than the queue has free descriptors, if it has no indirect ones. */
static int test_full(struct echo *echo)
{
	return pipe_send(echo, 1 << 20);
}

/* More pages than any chain may have. */
static int test_chain(struct echo *echo)
{
	return pipe_send(echo, 8 << 20);
}

/* What an empty pipe means depends on its writers. */
static int test_empty(struct echo *echo)
{
	int pipe[2], ret = pipe_open(pipe, 16 * ECHO_PAGE);
	struct writer writer;
	ssize_t n;

	if (!ret)
		ret = echo_wait(echo, 5);
	if (ret)
		return ret;
	n = port_splice(echo, pipe, ECHO_PAGE, SPLICE_F_NONBLOCK);
	if (n != -EAGAIN) {
		test_note("SPLICE_F_NONBLOCK, empty pipe: %zd", n);
		return -EIO;
	}
	ret = writer_start(&writer, pipe, echo->sent);
	if (ret)
		return ret;
	n = port_splice(echo, pipe, ECHO_PAGE, 0);
	writer_join(&writer);
	if (n != ECHO_PAGE) {
		test_note("pipe filled later: %zd", n);
		return -EIO;
	}
	close(pipe[1]);
	n = port_splice(echo, pipe, ECHO_PAGE, 0);
	if (n != 0) {
		test_note("pipe without writers: %zd", n);
		return -EIO;
	}
	return echo_check(echo);
}

/* A buffer of odd length must not shift those after it, which are copied. */
static int test_odd(struct echo *echo)
{
	size_t len = 15 * ECHO_PAGE;
	struct iovec iov = { .iov_base = aligned_alloc(ECHO_PAGE, len), .iov_len = len };
	int pipe[2], ret = pipe_open(pipe, 16 * ECHO_PAGE);
	ssize_t n;

	if (!iov.iov_base)
		return -ENOMEM;
	if (!ret)
		ret = echo_wait(echo, 5);
	if (!ret)
		ret = pipe_fill(pipe, 100, echo->sent);
	if (ret)
		return ret;
	pattern_fill(iov.iov_base, len, echo->sent + 100);
	if (vmsplice(pipe[1], &iov, 1, 0) != (ssize_t)len)
		return -errno;
	n = port_splice(echo, pipe, 16 * ECHO_PAGE, 0);
	if (n != (ssize_t)(100 + len)) {
		test_note("splice of 100 bytes and 15 pages: %zd", n);
		return -EIO;
	}
	return echo_check(echo);
}

/* While one task waits for the host, another may use the pipe. */
static int test_locked(struct echo *echo)
{
	struct blocked blocked;
	int ret = blocked_start(&blocked, echo);

	if (ret)
		return ret;
	if (!blocked_pipe_usable(&blocked)) {
		test_note("the pipe is locked while its splice waits");
		ret = -EDEADLK;
	}
	blocked_end(&blocked);

	return ret ?: echo_check(echo);
}

static int test_suspend(struct echo *echo)
{
	struct blocked blocked;
	int ret = blocked_start(&blocked, echo);

	if (ret)
		return ret;
	blocked_pipe_usable(&blocked);
	ret = system_suspend("freezer");
	blocked_end(&blocked);

	return ret ?: echo_check(echo);
}

/* A port that was full is empty after resume. */
static int test_resume(struct echo *echo)
{
	int ret = echo_wait(echo, 5);

	if (!ret)
		ret = echo_stall(echo);
	if (!ret)
		ret = system_suspend("devices");
	if (ret)
		return ret;
	ret = echo_wait(echo, 20);
	if (ret)
		test_note("no POLLOUT after resume");

	return ret;
}

static int test_unbind(struct echo *echo)
{
	int pipe[2], ret = pipe_open(pipe, 16 * ECHO_PAGE);
	ssize_t n;

	if (!ret)
		ret = pipe_fill(pipe, ECHO_PAGE, 0);
	if (!ret)
		ret = device_unbind(echo);
	if (ret)
		return ret;
	n = port_splice(echo, pipe, ECHO_PAGE, 0);
	if (n != -ENODEV) {
		test_note("splice after unbind: %zd", n);
		ret = -EIO;
	}
	n = write(echo->fd, "x", 1);
	if (n != -1 || errno != ENODEV) {
		test_note("write after unbind: %zd, %s", n, strerror(errno));
		ret = -EIO;
	}
	close(echo->fd);

	return device_bind(echo) ?: ret;
}

/* The parent sees whether the close at the end comes back. */
static int test_dead(struct echo *echo)
{
	int ret = echo_wait(echo, 5);

	if (!ret)
		ret = device_stop(echo);
	if (ret)
		return ret;
	close(echo->fd);

	return device_restart(echo);
}

/* Nobody listens on the host: the data must stay in the pipe. */
static int test_absent(struct echo *echo)
{
	int pipe[2], ret = pipe_open(pipe, 16 * ECHO_PAGE);
	ssize_t n;

	if (!ret)
		ret = pipe_fill(pipe, 16 * ECHO_PAGE, 0);
	if (ret)
		return ret;
	n = port_splice(echo, pipe, 16 * ECHO_PAGE, 0);
	if (n != -EAGAIN || pipe_bytes(pipe) != 16 * ECHO_PAGE) {
		test_note("splice: %zd, %zu bytes are left", n, pipe_bytes(pipe));
		return -EIO;
	}
	return 0;
}

/* The host does not read: how much memory can be put into the queue? */
static int test_bound(struct echo *echo)
{
	size_t size = 1 << 20, limit = 16 << 20;
	int pipe[2], ret = pipe_open(pipe, size);
	ssize_t n = 0;

	if (!ret)
		ret = echo_wait(echo, 5);
	while (!ret && n >= 0 && echo->sent <= limit) {
		ret = pipe_fill(pipe, size - pipe_bytes(pipe), echo->sent + pipe_bytes(pipe));
		n = port_splice(echo, pipe, size, SPLICE_F_NONBLOCK);
	}
	if (ret)
		return ret;
	test_note("%zu bytes accepted, then %zd", echo->sent, n);
	if (n != -EAGAIN)
		return -EIO;

	return echo_check(echo);
}

static const struct test tests[] = {
	{ "short", test_short, ECHO_PORT, 60 },
	{ "full", test_full, ECHO_PORT, 60 },
	{ "chain", test_chain, ECHO_PORT, 120 },
	{ "empty", test_empty, ECHO_PORT, 30 },
	{ "odd", test_odd, ECHO_PORT, 30 },
	{ "subbuf", test_subbuf, ECHO_PORT, 60 },
	{ "writers", test_writers, ECHO_PORT, 120 },
	{ "locked", test_locked, ECHO_PORT, 60 },
	{ "absent", test_absent, ABSENT_PORT, 30 },
	{ "bound", test_bound, ECHO_PORT, 120 },
	{ "suspend", test_suspend, ECHO_PORT, 90 },
	{ "resume", test_resume, ECHO_PORT, 90 },
	{ "unbind", test_unbind, ECHO_PORT, 30 },
	{ "dead", test_dead, ECHO_PORT, 30 },
};

int main(int argc, char **argv)
{
	return tests_run(tests, ARRAY_SIZE(tests), argc, argv);
}
