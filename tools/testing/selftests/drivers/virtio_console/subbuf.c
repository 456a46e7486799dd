// SPDX-License-Identifier: GPL-2.0-only
/* Does a pipe buffer of many pages go out whole? */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "test.h"
#include "tests.h"

#define INSTANCE	"/sys/kernel/tracing/instances/virtio_console_test/"
#define SUBBUF_SIZE	65536UL
#define NR_SUBBUFS	8

/* splice() counts in pages, also if a buffer has more than one. */
#define PIPE_SIZE	(2 * NR_SUBBUFS * SUBBUF_SIZE)

static int ring_make(void)
{
	cpu_set_t cpus;

	if (mkdir(INSTANCE, 0700) && errno != EEXIST)
		return TEST_SKIP;
	if (file_write(INSTANCE "buffer_subbuf_size_kb", "64"))
		return TEST_SKIP;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return -errno;

	return file_write(INSTANCE "buffer_size_kb", "4096");
}

/* More than fills the sub-buffers, as each event has a header. */
static int ring_fill(void)
{
	static char text[1024];
	int fd = open(INSTANCE "trace_marker", O_WRONLY | O_CLOEXEC);
	size_t done;

	if (fd < 0)
		return -errno;
	memset(text, 'x', sizeof(text));
	for (done = 0; done < (NR_SUBBUFS + 1) * SUBBUF_SIZE; done += sizeof(text)) {
		text[0] = 'a' + done / sizeof(text) % 26;
		if (write(fd, text, sizeof(text)) < 0)
			break;
	}
	close(fd);

	return 0;
}

static int ring_to_pipe(int pipe[2])
{
	int fd = open(INSTANCE "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t len = NR_SUBBUFS * SUBBUF_SIZE;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = splice(fd, NULL, pipe[1], NULL, len, SPLICE_F_NONBLOCK);
		if (n > 0)
			len -= n;
	} while (n > 0 && len);
	if (n < 0)
		n = -errno;
	close(fd);
	if (!len)
		return 0;
	test_note("splice from the ring buffer: %zd, %zu bytes are missing", n, len);

	return -EIO;
}

/* The copy in the second pipe tells what the first one has. */
static int pipes_send(struct echo *echo, int pipe[2], int copy[2])
{
	static char got[SUBBUF_SIZE], want[SUBBUF_SIZE];
	ssize_t len = NR_SUBBUFS * SUBBUF_SIZE, n;
	int i, ret;

	if (tee(pipe[0], copy[1], len, 0) != len)
		return -errno;
	n = faulty_splice(pipe[0], echo->fd, len, 0);
	if (n != len) {
		test_note("splice of %d sub-buffers: %zd", NR_SUBBUFS, n);
		return -EIO;
	}
	for (i = 0; i < NR_SUBBUFS; i++) {
		if (read(copy[0], want, sizeof(want)) != sizeof(want))
			return -EIO;
		ret = echo_read(echo, got, sizeof(got));
		if (ret)
			return ret;
		if (memcmp(got, want, sizeof(got)))
			return -EBADMSG;
	}
	return 0;
}

int test_subbuf(struct echo *echo)
{
	int pipe[2] = { -1, -1 }, copy[2] = { -1, -1 }, ret = ring_make();

	if (!ret)
		ret = ring_fill();
	if (!ret)
		ret = pipe_open(pipe, PIPE_SIZE);
	if (!ret)
		ret = pipe_open(copy, PIPE_SIZE);
	if (!ret)
		ret = echo_wait(echo, 5);
	if (!ret)
		ret = ring_to_pipe(pipe);
	if (!ret)
		ret = pipes_send(echo, pipe, copy);
	pipe_close(pipe);
	pipe_close(copy);
	rmdir(INSTANCE);

	return ret;
}
