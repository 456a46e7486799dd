// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does splice() into a port send what it says it sent, and only wait where it may?
 *
 * Theory of operation: the tests need ports, on a device of their own, as some of them
 * take it away. What goes into "selftest.echo" has to come back. With QEMU:
 *
 *	mkfifo echo.in echo.out; cat < echo.out > echo.in &
 *	./peer peer.sock orders.sock &
 *	qemu ... -device virtio-serial-pci,id=st
 *		-chardev pipe,id=echo,path=echo
 *		-device virtserialport,bus=st.0,chardev=echo,name=selftest.echo
 *		-chardev socket,id=absent,path=absent,server=on,wait=off
 *		-device virtserialport,bus=st.0,chardev=absent,name=selftest.absent
 *		-chardev socket,id=peer,path=peer.sock,server=on,wait=off
 *		-device virtserialport,bus=st.0,chardev=peer,name=selftest.peer
 *		-chardev socket,id=orders,path=orders.sock,server=on,wait=off
 *		-device virtserialport,bus=st.0,chardev=orders,name=selftest.orders
 *
 * A test that does not read makes that a slow host, with no help from outside. Nobody
 * ever connects to "selftest.absent". A host that comes and goes is peer.c, which obeys
 * "selftest.orders"; what needs it is skipped without. With indirect_desc=off for the
 * device, the queue runs out of descriptors sooner; both ways are worth a run.
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
#include "test.h"
#include "tests.h"
#include "writers.h"

#define ECHO_PORT	"selftest.echo"
#define ABSENT_PORT	"selftest.absent"
#define PEER_PORT	"selftest.peer"

/* Pieces of each kind of length, one after the other until the pipe is empty. */
static int short_test(struct echo *echo, size_t len, unsigned int flags)
{
	int pipe[2], tries, ret = pipe_open(pipe, 16 * ECHO_PAGE);
	size_t want;
	ssize_t n;

	if (!ret)
		ret = echo_wait(echo, 5);
	if (!ret)
		ret = pipe_fill(pipe, 16 * ECHO_PAGE, echo->sent);
	for (tries = 20; tries && pipe_bytes(pipe) && !ret; tries--) {
		want = len < pipe_bytes(pipe) ? len : pipe_bytes(pipe);
		n = echo_splice(echo, pipe, len, flags);
		if (n != (ssize_t)want) {
			test_note("splice of %zu bytes, flags %u: %zd", len, flags, n);
			ret = -EIO;
		}
		ret = ret ?: echo_check(echo);
	}
	pipe_close(pipe);

	return ret;
}

static int test_short(struct echo *echo)
{
	static const size_t lens[] = {
		1, 4095, 4096, 4097, 8192, 5 * ECHO_PAGE + 7, 16 * ECHO_PAGE
	};
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(lens) && !ret; i++)
		ret = short_test(echo, lens[i], 0) ?: short_test(echo, lens[i], SPLICE_F_MOVE);

	return ret;
}

/* More pages than the queue has free descriptors, if it has no indirect ones. */
static int test_full(struct echo *echo)
{
	return echo_send(echo, 1 << 20, 0) ?: echo_send(echo, 1 << 20, SPLICE_F_MOVE);
}

/* More pages than any chain may have. */
static int test_chain(struct echo *echo)
{
	return echo_send(echo, 8 << 20, SPLICE_F_MOVE);
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
	n = echo_splice(echo, pipe, ECHO_PAGE, SPLICE_F_NONBLOCK);
	if (n != -EAGAIN) {
		test_note("SPLICE_F_NONBLOCK, empty pipe: %zd", n);
		return -EIO;
	}
	ret = writer_start(&writer, pipe, echo->sent);
	if (ret)
		return ret;
	n = echo_splice(echo, pipe, ECHO_PAGE, 0);
	writer_join(&writer);
	if (n != ECHO_PAGE) {
		test_note("pipe filled later: %zd", n);
		return -EIO;
	}
	close(pipe[1]);
	n = echo_splice(echo, pipe, ECHO_PAGE, 0);
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
	n = echo_splice(echo, pipe, 16 * ECHO_PAGE, 0);
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
	if (ret) {
		test_note("no POLLOUT after resume");
		return ret;
	}
	/* What was on its way may have been lost with the queue, or have come. */
	echo_discard(echo);
	echo->got = echo->sent;

	return echo_send(echo, 16 * ECHO_PAGE, SPLICE_F_MOVE);
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
	n = echo_splice(echo, pipe, ECHO_PAGE, 0);
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

/* The task that waits, and the queue full of its pages, are no reason not to. */
static int test_unplug(struct echo *echo)
{
	struct blocked blocked;
	int ret = blocked_start(&blocked, echo) ?: device_unbind(echo);

	if (ret)
		return ret;
	pthread_join(blocked.splicer, NULL);
	if (blocked.result != -ENODEV || pipe_bytes(blocked.pipe) != ECHO_PAGE) {
		test_note("splice that waits for the host: %zd, %zu bytes are left",
			  blocked.result, pipe_bytes(blocked.pipe));
		ret = -EIO;
	}
	close(echo->fd);

	return device_bind(echo) ?: ret;
}

static const struct test tests[] = {
	{ "short", test_short, ECHO_PORT, 60 },
	{ "full", test_full, ECHO_PORT, 60 },
	{ "chain", test_chain, ECHO_PORT, 120 },
	{ "empty", test_empty, ECHO_PORT, 30 },
	{ "odd", test_odd, ECHO_PORT, 30 },
	{ "subbuf", test_subbuf, ECHO_PORT, 60 },
	{ "partial", test_partial, ECHO_PORT, 30 },
	{ "cached", test_cached, ECHO_PORT, 30 },
	{ "memory", test_memory, ECHO_PORT, 120 },
	{ "writers", test_writers, ECHO_PORT, 120 },
	{ "shared", test_shared, ECHO_PORT, 120 },
	{ "locked", test_locked, ECHO_PORT, 60 },
	{ "slow", test_slow, ECHO_PORT, 60 },
	{ "woken", test_woken, PEER_PORT, 30 },
	{ "absent", test_absent, ABSENT_PORT, 30 },
	{ "return", test_return, PEER_PORT, 60 },
	{ "bound", test_bound, ECHO_PORT, 120 },
	{ "packets", test_packets, PEER_PORT, 60 },
	{ "suspend", test_suspend, ECHO_PORT, 90 },
	{ "resume", test_resume, ECHO_PORT, 90 },
	{ "unbind", test_unbind, ECHO_PORT, 30 },
	{ "unplug", test_unplug, ECHO_PORT, 60 },
	{ "dead", test_dead, ECHO_PORT, 30 },
};

int main(int argc, char **argv)
{
	return tests_run(tests, ARRAY_SIZE(tests), argc, argv);
}
