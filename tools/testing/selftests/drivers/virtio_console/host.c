// SPDX-License-Identifier: GPL-2.0-only
/* What happens to data, and to memory, while the host is slow, stalled or away? */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "faults.h"
#include "test.h"
#include "tests.h"
#include "writers.h"

#define ORDERS_PORT	"selftest.orders"
#define PEER_PORT	"selftest.peer"

#define MIB 1048576UL

/* A port's queue, the pipe before it, and what else the kernel does meanwhile */
#define MEMORY_MAX	(9 * MIB)
#define MEMORY_NOISE	(1 * MIB)

/* What peer.c understands */
enum order { HOLD = 'h', READ = 'r', THROW = 't', AWAY = 'a', BACK = 'b' };

static int peer_order(enum order order)
{
	static struct echo orders = { .fd = -1 };
	char byte = order;
	int ret = 0;

	if (orders.fd < 0)
		ret = echo_open(&orders, ORDERS_PORT) ?: echo_wait(&orders, 5);
	if (ret)
		return ret;
	if (write(orders.fd, &byte, 1) != 1)
		return -errno;
	ret = echo_read(&orders, &byte, 1);
	if (!ret && byte != (char)order)
		ret = -EBADMSG;

	return ret;
}

/* An earlier test may have left it in any state. */
static int peer_begin(struct echo *echo, enum order order)
{
	int ret = peer_order(BACK) ?: echo_wait(echo, 5);

	if (ret)
		return ret;
	echo_discard(echo);

	return peer_order(order);
}

/* The numbers that stand behind words in a file, added up */
static size_t numbers_sum(const char *file, const char *format, const char *format2)
{
	size_t number, sum = 0;
	char line[128];
	FILE *f = fopen(file, "r");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, format, &number) == 1 || sscanf(line, format2, &number) == 1)
			sum += number;
	fclose(f);

	return sum;
}

/*
 * Pages are counted, not what kmalloc() keeps for itself, or KASAN of what was freed. Each
 * processor keeps some of those that were freed to itself. What goes from one to another
 * while we look is missed, so this looks more than once.
 */
static size_t memory_free(void)
{
	size_t now, most = 0;
	int tries;

	for (tries = 3; tries; tries--) {
		now = numbers_sum("/proc/meminfo", "MemFree: %zu", "Slab: %zu") * 1024 +
			numbers_sum("/proc/zoneinfo", " count: %zu", " count: %zu") * ECHO_PAGE;
		if (now > most)
			most = now;
	}
	return most;
}

/* Negative if there is more than before. */
static long memory_taken(size_t before)
{
	return (long)before - (long)memory_free();
}

/* What is freed may take a while to be counted. */
static int memory_back(size_t before)
{
	int tries;

	for (tries = 20; tries && memory_taken(before) > (long)MEMORY_NOISE; tries--)
		usleep(100000);
	if (tries)
		return 0;
	test_note("%ld KiB of memory are still taken afterwards", memory_taken(before) / 1024);

	return -ENOMEM;
}

/* Splice all that the queue takes, and no more than the limit. Returns the last result. */
static ssize_t pipes_accepted(struct echo *echo, size_t size, size_t limit)
{
	size_t end = echo->sent + limit;
	int pipe[2], ret = pipe_open(pipe, size);
	ssize_t n = 0;

	while (!ret && n >= 0 && echo->sent < end) {
		ret = pipe_fill(pipe, size - pipe_bytes(pipe), echo->sent + pipe_bytes(pipe));
		n = echo_splice(echo, pipe, size, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	}
	pipe_close(pipe);

	return ret ?: n;
}

/* A splice that waits, and more of them, while the host takes a little at a time. */
int test_slow(struct echo *echo)
{
	size_t total = 4 * MIB, piece = 16 * 1024;
	struct sender sender;
	int ret = echo_wait(echo, 5) ?: sender_start(&sender, echo, total);

	if (ret)
		return ret;
	while (!ret && echo->got < total) {
		ret = echo_expect(echo, piece);
		usleep(1000);
	}
	if (ret)
		test_note("%zu bytes came back as they should", echo->got);

	return ret ?: sender_join(&sender);
}

/* What comes back wakes who waits, too: a host that only takes has to be enough. */
int test_woken(struct echo *echo)
{
	struct sender sender;
	int ret = peer_begin(echo, HOLD) ?: echo_stall(echo) ?:
		sender_start(&sender, echo, 4 * MIB);

	if (ret)
		return ret;
	usleep(300000);
	if (sender.done == 4 * MIB) {
		test_note("a host that does not read has taken %zu bytes", sender.done);
		return -EIO;
	}
	return peer_order(THROW) ?: sender_join(&sender);
}

/* Nobody listens on the host: the data must stay in the pipe. */
int test_absent(struct echo *echo)
{
	int pipe[2], ret = pipe_open(pipe, 16 * ECHO_PAGE) ?: pipe_fill(pipe, 16 * ECHO_PAGE, 0);
	ssize_t n;

	if (ret)
		return ret;
	n = echo_splice(echo, pipe, 16 * ECHO_PAGE, 0);
	if (n != -EAGAIN || pipe_bytes(pipe) != 16 * ECHO_PAGE) {
		test_note("splice: %zd, %zu bytes are left", n, pipe_bytes(pipe));
		return -EIO;
	}
	return 0;
}

/* Waits for the host to be gone, and nothing to be writable, or to be back. */
static int hangup_wait(const struct echo *echo, bool up)
{
	struct pollfd p = { .fd = echo->fd, .events = POLLIN | POLLOUT };
	int tries;

	for (tries = 50; tries; tries--) {
		p.revents = 0;
		poll(&p, 1, 0);
		if (up ? !(p.revents & POLLHUP) : (p.revents & (POLLHUP | POLLOUT)) == POLLHUP)
			return 0;
		usleep(100000);
	}
	return -ETIMEDOUT;
}

/*
 * A host that goes away has what was accepted before thrown away by the device. Whatever is
 * accepted afterwards must reach it, from the first byte on, when it is back.
 */
static int away_and_back(struct echo *echo)
{
	struct sender sender;
	int ret;

	echo->got = echo->sent;
	ret = test_absent(echo) ?: sender_start(&sender, echo, MIB / 4);
	if (ret)
		return ret;
	usleep(200000);
	if (sender.done) {
		test_note("%zu bytes are accepted while the host is away", sender.done);
		return -EIO;
	}
	return peer_order(BACK) ?: hangup_wait(echo, true) ?: echo_expect(echo, MIB / 4) ?:
		sender_join(&sender);
}

/*
 * The host goes when the queue is full. Each time QEMU forgets a chain of which it has sent
 * a part, for as long as it runs: of direct descriptors, there must be some left. They are
 * taken where an indirect table can't be allocated, too.
 */
int test_return(struct echo *echo)
{
	bool indirect = device_has_indirect(echo) && !faults_happen();
	size_t size = indirect ? MIB / 2 : 8 * ECHO_PAGE, before;
	int i, times = indirect ? 12 : 3, ret = peer_begin(echo, HOLD);
	ssize_t n;

	before = memory_free();
	for (i = 0; i < times && !ret; i++) {
		n = pipes_accepted(echo, size, 6 * MIB);
		ret = n < 0 && n != -EAGAIN ? n : 0;
		before -= size;
		ret = ret ?: peer_order(AWAY) ?: hangup_wait(echo, false) ?:
			memory_back(before) ?: away_and_back(echo) ?: peer_order(HOLD);
	}
	if (ret)
		test_note("the host went away %d times", i);

	return ret;
}

/* A stalled port is nothing to another, nor to who wants memory. */
static int others_work(void)
{
	size_t len = 16 * MIB;
	struct echo echo;
	char *memory;
	int ret = echo_open(&echo, PEER_PORT);

	if (!ret)
		ret = peer_begin(&echo, READ) ?: echo_send(&echo, MIB / 4, 0);
	if (ret == -ENOENT)
		ret = 0;
	if (ret)
		test_note("another port: %s", strerror(-ret));
	close(echo.fd);
	memory = malloc(len);
	if (!memory)
		return -ENOMEM;
	pattern_fill(memory, len, 0);
	free(memory);

	return ret;
}

/* The host does not read: how much memory can be put into the queue? */
int test_bound(struct echo *echo)
{
	size_t before;
	ssize_t n;
	int ret = echo_wait(echo, 5);

	if (ret)
		return ret;
	before = memory_free();
	n = pipes_accepted(echo, MIB, 16 * MIB);
	test_note("%zu bytes accepted, %ld KiB of memory taken, then %zd", echo->sent,
		  memory_taken(before) / 1024, n);
	if (n != -EAGAIN || memory_taken(before) > (long)MEMORY_MAX)
		return -EIO;

	return others_work() ?: echo_check(echo) ?: memory_back(before);
}

/* Each byte written is a buffer of its own. */
static int packets_fill(int pipe[2], size_t offset)
{
	char byte;

	fcntl(pipe[1], F_SETFL, O_DIRECT | O_NONBLOCK);
	do
		pattern_fill(&byte, 1, offset++);
	while (write(pipe[1], &byte, 1) == 1);

	return errno == EAGAIN ? 0 : -errno;
}

/* A page is a page, however little of it is sent. */
int test_packets(struct echo *echo)
{
	int pipe[2], ret = peer_begin(echo, HOLD) ?: pipe_open(pipe, MIB);
	size_t before;
	ssize_t n = 0;

	if (ret)
		return ret;
	before = memory_free();
	while (!ret && n >= 0 && echo->sent <= 3 * MEMORY_MAX / ECHO_PAGE) {
		ret = packets_fill(pipe, echo->sent + pipe_bytes(pipe));
		n = echo_splice(echo, pipe, MIB, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	}
	pipe_close(pipe);
	if (ret)
		return ret;
	test_note("%zu packets accepted, %ld KiB of memory taken, then %zd", echo->sent,
		  memory_taken(before) / 1024, n);
	if (n != -EAGAIN || memory_taken(before) > (long)MEMORY_MAX)
		return -EIO;

	return peer_order(READ) ?: echo_check(echo) ?: memory_back(before);
}
