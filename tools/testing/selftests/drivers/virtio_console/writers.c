// SPDX-License-Identifier: GPL-2.0-only
/* How do several tasks use a port, or the pipe before it, at the same time? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "faults.h"
#include "test.h"
#include "tests.h"
#include "writers.h"

#define DEBUGFS		"/sys/kernel/debug"

/* The last of them writes, the others splice. */
#define NR_WRITERS	3
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
	do
		blocked->result = faulty_splice(blocked->pipe[0], blocked->echo->fd, ECHO_PAGE, 0);
	while (blocked->result == -EINTR || blocked->result == -EAGAIN);

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

static void *sender_main(void *arg)
{
	struct sender *sender = arg;
	size_t start = sender->echo->sent - sender->len;
	int pipe[2];
	ssize_t n;

	sender->error = pipe_open(pipe, 64 * ECHO_PAGE);
	while (sender->done < sender->len && !sender->error) {
		if (!pipe_bytes(pipe))
			sender->error = pipe_fill(pipe, 32 * ECHO_PAGE, start + sender->done);
		n = faulty_splice(pipe[0], sender->echo->fd, 32 * ECHO_PAGE, SPLICE_F_MOVE);
		if (n > 0)
			sender->done += n;
		else
			sender->error = n ?: -EIO;
	}
	if (sender->error)
		test_note("splice after %zu bytes: %s", sender->done, strerror(-sender->error));
	pipe_close(pipe);

	return NULL;
}

int sender_start(struct sender *sender, struct echo *echo, size_t len)
{
	*sender = (struct sender){ .echo = echo, .len = len };
	echo->sent += len;
	echo_block(echo, true);

	return -pthread_create(&sender->thread, NULL, sender_main, sender);
}

int sender_join(struct sender *sender)
{
	pthread_join(sender->thread, NULL);
	echo_block(sender->echo, false);

	return sender->error;
}

struct stream {
	struct echo *echo;
	int id;
	int error;
	pthread_t thread;
};

static void page_number(int page[WORDS], int id, int nr)
{
	size_t i;

	for (i = 0; i < WORDS; i++)
		page[i] = id << 24 | nr;
}

static int stream_write(struct stream *stream, int nr)
{
	int page[WORDS];
	ssize_t n;

	page_number(page, stream->id, nr);
	n = faulty_write(stream->echo->fd, page, sizeof(page));

	return n == sizeof(page) ? 0 : n < 0 ? n : -EIO;
}

/* Eight pages at a time: a chain must stay together. */
static int stream_splice(struct stream *stream, int pipe[2], int nr)
{
	int page[WORDS];
	ssize_t n;

	page_number(page, stream->id, nr);
	if (write(pipe[1], page, sizeof(page)) != sizeof(page))
		return -errno;
	while (nr % 8 == 7 && pipe_bytes(pipe)) {
		n = faulty_splice(pipe[0], stream->echo->fd, 8 * ECHO_PAGE, SPLICE_F_MOVE);
		if (n <= 0)
			return n ?: -EIO;
	}
	return 0;
}

static void *stream_main(void *arg)
{
	struct stream *stream = arg;
	int pipe[2], nr;

	stream->error = pipe_open(pipe, 16 * ECHO_PAGE);
	for (nr = 0; nr < NR_PAGES && !stream->error; nr++)
		stream->error = stream->id == NR_WRITERS - 1 ?
			stream_write(stream, nr) : stream_splice(stream, pipe, nr);
	if (stream->error)
		test_note("writer %d, page %d: %s", stream->id, nr, strerror(-stream->error));

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

struct shared {
	struct echo *echo;
	int pipe[2];
	bool done;
};

static void *filler_main(void *arg)
{
	struct shared *shared = arg;
	int page[WORDS], nr;

	for (nr = 0; nr < NR_WRITERS * NR_PAGES; nr++) {
		page_number(page, 0, nr);
		if (write(shared->pipe[1], page, sizeof(page)) != sizeof(page))
			break;
	}
	__atomic_store_n(&shared->done, true, __ATOMIC_RELEASE);
	close(shared->pipe[1]);

	return NULL;
}

/* All that is in the pipe at a time. Before the filler is done, 0 is another test's matter. */
static void *taker_main(void *arg)
{
	struct shared *shared = arg;
	ssize_t n;

	do
		n = faulty_splice(shared->pipe[0], shared->echo->fd, 16 * ECHO_PAGE, SPLICE_F_MOVE);
	while (n > 0 || (n == 0 && !__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE)));

	return NULL;
}

/* What two tasks take out of one pipe is in the order in which it was put there. */
int test_shared(struct echo *echo)
{
	struct shared shared = { .echo = echo };
	int page[WORDS], nr, ret = pipe_open(shared.pipe, 16 * ECHO_PAGE) ?: echo_wait(echo, 5);
	pthread_t filler, takers[2];

	if (ret)
		return ret;
	echo_block(echo, true);
	pthread_create(&filler, NULL, filler_main, &shared);
	pthread_create(&takers[0], NULL, taker_main, &shared);
	pthread_create(&takers[1], NULL, taker_main, &shared);
	for (nr = 0; nr < NR_WRITERS * NR_PAGES && !ret; nr++) {
		ret = echo_read(echo, page, sizeof(page));
		if (!ret && (page[0] != nr || page[WORDS - 1] != nr)) {
			test_note("page %d is %d", nr, page[0]);
			ret = -EBADMSG;
		}
	}
	return ret;
}
