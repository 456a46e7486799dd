// SPDX-License-Identifier: GPL-2.0-only
/* Is anything lost when memory is short? */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"
#include "test.h"
#include "tests.h"

#define NR_PAGES	4
#define NTH_MAX		1000

static ssize_t copy_pages(struct echo *echo, int pipe[2])
{
	return echo_splice(echo, pipe, NR_PAGES * ECHO_PAGE, 0);
}

static ssize_t move_pages(struct echo *echo, int pipe[2])
{
	return echo_splice(echo, pipe, NR_PAGES * ECHO_PAGE, SPLICE_F_MOVE);
}

/* The same bytes by way of user space; what is not written is kept for the next try. */
static ssize_t write_page(struct echo *echo, int pipe[2])
{
	char page[ECHO_PAGE];
	ssize_t n;

	pattern_fill(page, sizeof(page), echo->sent);
	n = write(echo->fd, page, sizeof(page));
	if (n < 0)
		return -errno;
	echo->sent += n;
	/* Page after page, as much leaves the pipe as was written. */
	if (read(pipe[0], page, n) != n)
		return -EIO;

	return n;
}

static const struct way {
	const char *name;
	ssize_t (*send)(struct echo *echo, int pipe[2]);
} ways[] = {
	{ "copied pages", copy_pages },
	{ "moved pages", move_pages },
	{ "write()", write_page },
};

/* Returns whether an allocation failed, or a negative error number. */
static int way_try(struct echo *echo, const struct way *way, int pipe[2], int nth)
{
	size_t before = pipe_bytes(pipe);
	int left, ret = faults_nth(nth);
	ssize_t n;

	if (ret < 0)
		return ret;
	n = way->send(echo, pipe);
	left = faults_nth(0);
	if (left < 0)
		return left;
	if (n <= 0 && (n != -ENOMEM || left)) {
		test_note("%s, allocation %d: %zd", way->name, nth, n);
		return -EIO;
	}
	if (pipe_bytes(pipe) + (n > 0 ? n : 0) != before) {
		test_note("%s, allocation %d: %zd, but %zu of %zu bytes are left", way->name,
			  nth, n, pipe_bytes(pipe), before);
		return -EIO;
	}
	return !left;
}

/* One allocation after the other fails, until none is left to. */
static int way_test(struct echo *echo, const struct way *way)
{
	int pipe[2], nth, failed = 1, ret = pipe_open(pipe, 16 * ECHO_PAGE);

	for (nth = 1; !ret && failed && nth < NTH_MAX; nth++) {
		ret = pipe_fill(pipe, NR_PAGES * ECHO_PAGE, echo->sent);
		if (ret)
			break;
		failed = way_try(echo, way, pipe, nth);
		ret = failed < 0 ? failed : echo_drain(echo, pipe, 0);
	}
	if (!ret && (nth == 2 || nth == NTH_MAX)) {
		test_note("%s: %d allocations failed", way->name, nth - 2);
		ret = -EIO;
	}
	pipe_close(pipe);

	return ret;
}

int test_memory(struct echo *echo)
{
	int ret = echo_wait(echo, 5) ?: faults_prepare(0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways) && !ret; i++)
		ret = way_test(echo, &ways[i]);
	if (ret)
		return ret;
	ret = faults_prepare(20) ?:
		echo_send(echo, 1 << 20, 0) ?:
		echo_send(echo, 1 << 20, SPLICE_F_MOVE);
	faults_end_all();

	return ret;
}
