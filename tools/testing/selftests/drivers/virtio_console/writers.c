// SPDX-License-Identifier: GPL-2.0-only
/* How do several tasks use a port, or the pipe before it, at the same time? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "test.h"
#include "writers.h"

#define DEBUGFS		"/sys/kernel/debug"

#define NR_WRITERS	2
#define NR_PAGES	1000
#define WORDS		(ECHO_PAGE / sizeof(int))

static void *writer_main(void *arg)
{
	struct writer *writer = arg;

	usleep(300000);
	pipe_fill(writer->pipe, ECHO_PAGE, writer->offset);

	return NULL;
}

int writer_start(struct writer *writer, int pipe[2], size_t offset)
{
	writer->pipe = pipe;
	writer->offset = offset;

	return -pthread_create(&writer->thread, NULL, writer_main, writer);
}

void writer_join(struct writer *writer)
{
	pthread_join(writer->thread, NULL);
}

static void *splicer_main(void *arg)
{
	struct blocked *blocked = arg;

	/* A stopped system call is taken up again. */
	while (splice(blocked->pipe[0], NULL, blocked->echo->fd, NULL, ECHO_PAGE, 0) < 0 &&
	       (errno == EINTR || errno == EAGAIN))
		;
	return NULL;
}

static void *asker_main(void *arg)
{
	struct blocked *blocked = arg;

	__atomic_store_n(&blocked->answered, pipe_bytes(blocked->pipe) > 0, __ATOMIC_RELEASE);
	return NULL;
}

int blocked_start(struct blocked *blocked, struct echo *echo)
{
	int ret;

	blocked->echo = echo;
	blocked->asking = false;
	blocked->answered = false;
	ret = pipe_open(blocked->pipe, 16 * ECHO_PAGE);
	if (!ret)
		ret = echo_wait(echo, 5);
	if (!ret)
		ret = echo_stall(echo);
	if (!ret)
		ret = pipe_fill(blocked->pipe, ECHO_PAGE, echo->sent);
	if (ret)
		return ret;
	echo_block(echo, true);
	ret = pthread_create(&blocked->splicer, NULL, splicer_main, blocked);
	usleep(500000);

	return -ret;
}

bool blocked_pipe_usable(struct blocked *blocked)
{
	int tries;

	if (pthread_create(&blocked->asker, NULL, asker_main, blocked))
		return false;
	blocked->asking = true;
	for (tries = 30; tries; tries--) {
		if (__atomic_load_n(&blocked->answered, __ATOMIC_ACQUIRE))
			return true;
		usleep(100000);
	}
	return false;
}

void blocked_end(struct blocked *blocked)
{
	struct echo *echo = blocked->echo;

	echo_block(echo, false);
	echo_check(echo);
	pthread_join(blocked->splicer, NULL);
	echo->sent += ECHO_PAGE;
	if (blocked->asking)
		pthread_join(blocked->asker, NULL);
}

struct stream {
	struct echo *echo;
	int id;
	int error;
	pthread_t thread;
};

static int stream_send(struct stream *stream, int pipe[2], int nr)
{
	int page[WORDS];
	ssize_t n;
	size_t i;

	for (i = 0; i < WORDS; i++)
		page[i] = stream->id << 24 | nr;
	if (write(pipe[1], page, sizeof(page)) != sizeof(page))
		return -errno;
	/* Eight pages at a time: a chain must stay together. */
	if (nr % 8 != 7)
		return 0;
	while (pipe_bytes(pipe)) {
		n = splice(pipe[0], NULL, stream->echo->fd, NULL, 8 * ECHO_PAGE, 0);
		if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

static void *stream_main(void *arg)
{
	struct stream *stream = arg;
	int pipe[2], nr;

	stream->error = pipe_open(pipe, 16 * ECHO_PAGE);
	for (nr = 0; nr < NR_PAGES && !stream->error; nr++)
		stream->error = stream_send(stream, pipe, nr);

	return NULL;
}

/* Every page has to be one writer's next. */
static int streams_check(struct echo *echo)
{
	int next[NR_WRITERS] = { 0 }, page[WORDS], ret, nr;
	unsigned int id;
	size_t i;

	for (nr = 0; nr < NR_WRITERS * NR_PAGES; nr++) {
		ret = echo_read(echo, page, sizeof(page));
		if (ret)
			return ret;
		id = page[0] >> 24;
		if (id >= NR_WRITERS || (page[0] & 0xffffff) != next[id]++) {
			test_note("page %d is %#x", nr, page[0]);
			return -EBADMSG;
		}
		for (i = 1; i < WORDS; i++)
			if (page[i] != page[0])
				return -EBADMSG;
	}
	return 0;
}

/* What debugfs has counted, or -1. */
static long bytes_counted(const struct echo *echo)
{
	char path[128], line[128];
	long bytes = -1;
	FILE *f;

	mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	snprintf(path, sizeof(path), DEBUGFS "/virtio-ports%s", strrchr(echo->port, '/'));
	f = fopen(path, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "bytes_sent: %ld", &bytes) == 1)
			break;
	fclose(f);

	return bytes;
}

int test_writers(struct echo *echo)
{
	struct stream streams[NR_WRITERS];
	long before, count;
	int id, ret = echo_wait(echo, 5);

	if (ret)
		return ret;
	before = bytes_counted(echo);
	echo_block(echo, true);
	for (id = 0; id < NR_WRITERS; id++) {
		streams[id].echo = echo;
		streams[id].id = id;
		pthread_create(&streams[id].thread, NULL, stream_main, &streams[id]);
	}
	ret = streams_check(echo);
	for (id = 0; id < NR_WRITERS && !ret; id++) {
		pthread_join(streams[id].thread, NULL);
		ret = streams[id].error;
	}
	count = bytes_counted(echo) - before;
	if (!ret && before >= 0 && count != (long)(NR_WRITERS * NR_PAGES * ECHO_PAGE)) {
		test_note("bytes_sent counted %ld", count);
		return -EIO;
	}
	return ret;
}
