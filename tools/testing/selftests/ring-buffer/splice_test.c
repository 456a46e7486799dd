// SPDX-License-Identifier: GPL-2.0-only
/* Do sub-buffers spliced from a ring buffer stay what they were, whatever becomes of them? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/trace_mmap.h>

#include "../kselftest_harness.h"
#include "faults.h"
#include "fusefile.h"
#include "ring.h"

#define CPU_ONLINE	"/sys/devices/system/cpu/cpu%d/online"
#define TAINTED		"/proc/sys/kernel/tainted"
#define PROBES		"/sys/kernel/tracing/"
#define STEAL		"r:splice_test/steal generic_pipe_buf_try_steal ret=$retval:u8"

/* Slow machines have debug kernels, too. */
#define TIMEOUT_S	300

static long number_read(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		return -errno;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return strtol(text, NULL, 0);
}

static int text_write(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | flags);
	int err;

	if (fd < 0)
		return -errno;
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* splice() counts a slot of the pipe as one page, also when a sub-buffer goes into it. */
static int pipe_make(int ends[2], const struct ring *ring)
{
	if (pipe(ends))
		return -errno;
	return fcntl(ends[1], F_SETPIPE_SZ, 2 * RING_SUBBUFS * ring->subbuf_size) < 0 ? -errno : 0;
}

FIXTURE(splice)
{
	struct ring ring;
	int pipe[2];
	long tainted;
};

FIXTURE_VARIANT(splice)
{
	unsigned int subbuf_kib;
};

FIXTURE_VARIANT_ADD(splice, 4k) { .subbuf_kib = 4, };
FIXTURE_VARIANT_ADD(splice, 16k) { .subbuf_kib = 16, };
FIXTURE_VARIANT_ADD(splice, 64k) { .subbuf_kib = 64, };
FIXTURE_VARIANT_ADD(splice, 256k) { .subbuf_kib = 256, };

FIXTURE_SETUP(splice)
{
	int err;

	if (getuid())
		SKIP(return, "needs root");
	if (access("/sys/kernel/tracing/instances", W_OK))
		SKIP(return, "tracefs is not mounted upon /sys/kernel/tracing");

	self->tainted = number_read(TAINTED);
	err = ring_open(&self->ring, 0, variant->subbuf_kib);
	if (err == -ENOENT)
		SKIP(return, "the kernel has no buffer_subbuf_size_kb");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, pipe_make(self->pipe, &self->ring));
}

/* KASAN and warnings taint the kernel, once. */
FIXTURE_TEARDOWN(splice)
{
	ring_close(&self->ring);
	ring_remove();
	EXPECT_EQ(self->tainted, number_read(TAINTED));
}

/* All sub-buffers that tests have in flight, in the fixture's pipe. */
#define SPLICE_RING() do {							\
	ASSERT_EQ(0, ring_fill(&self->ring, RING_SUBBUFS));			\
	ASSERT_EQ(0, ring_splice(&self->ring, self->pipe[1], RING_SUBBUFS));	\
} while (0)

TEST_F_TIMEOUT(splice, content, TIMEOUT_S)
{
	SPLICE_RING();
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
}

/* The pipe is all that is left of the instance. */
TEST_F_TIMEOUT(splice, rmdir, TIMEOUT_S)
{
	SPLICE_RING();
	ring_close(&self->ring);
	ASSERT_EQ(0, ring_remove());
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
}

TEST_F_TIMEOUT(splice, tee, TIMEOUT_S)
{
	size_t len = RING_SUBBUFS * self->ring.subbuf_size;
	int copy[2];

	SPLICE_RING();
	ASSERT_EQ(0, pipe_make(copy, &self->ring));
	ASSERT_EQ(len, tee(self->pipe[0], copy[1], len, 0));
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
	self->ring.next_read = 0;
	EXPECT_EQ(0, ring_check_fd(&self->ring, copy[0], RING_SUBBUFS));
}

TEST_F_TIMEOUT(splice, file, TIMEOUT_S)
{
	size_t left = RING_SUBBUFS * self->ring.subbuf_size;
	FILE *file = tmpfile();
	ssize_t len;

	ASSERT_NE(NULL, file);
	SPLICE_RING();
	for (; left; left -= len) {
		len = splice(self->pipe[0], NULL, fileno(file), NULL, left, SPLICE_F_MOVE);
		ASSERT_GT(len, 0);
	}
	ASSERT_EQ(0, lseek(fileno(file), 0, SEEK_SET));
	EXPECT_EQ(0, ring_check_fd(&self->ring, fileno(file), RING_SUBBUFS));
	fclose(file);
}

/* Give a pipe's pages to a file, where they are overwritten after they were looked at. */
static int file_take(struct ring *ring, int from)
{
	size_t size = RING_SUBBUFS * ring->subbuf_size, i;
	struct fusefile file;
	char junk[4096];
	int fd, err;

	err = fusefile_mount(&file, from, size);
	if (err)
		return err;
	fd = open(file.path, O_RDWR);
	err = fd < 0 ? -errno : ring_check_fd(ring, fd, RING_SUBBUFS);

	memset(junk, 0xff, sizeof(junk));
	for (i = 0; i < size && !err; i += sizeof(junk)) {
		if (pwrite(fd, junk, sizeof(junk), i) != sizeof(junk))
			err = -errno;
	}
	close(fd);
	fusefile_umount(&file);
	return err;
}

static bool fuse_missing(void)
{
	return access("/dev/fuse", R_OK | W_OK);
}

TEST_F_TIMEOUT(splice, steal, TIMEOUT_S)
{
	if (fuse_missing())
		SKIP(return, "the kernel has no FUSE");
	SPLICE_RING();
	ASSERT_EQ(0, file_take(&self->ring, self->pipe[0]));
	/* The ring buffer has nothing to do with those pages any more. */
	ASSERT_EQ(0, ring_fill(&self->ring, RING_SUBBUFS));
	ASSERT_EQ(0, ring_splice(&self->ring, self->pipe[1], 1));
}

TEST_F_TIMEOUT(splice, tee_then_steal, TIMEOUT_S)
{
	size_t len = RING_SUBBUFS * self->ring.subbuf_size;
	int copy[2];

	if (fuse_missing())
		SKIP(return, "the kernel has no FUSE");
	SPLICE_RING();
	ASSERT_EQ(0, pipe_make(copy, &self->ring));
	ASSERT_EQ(len, tee(self->pipe[0], copy[1], len, 0));
	ASSERT_EQ(0, file_take(&self->ring, self->pipe[0]));
	self->ring.next_read = 0;
	EXPECT_EQ(0, ring_check_fd(&self->ring, copy[0], RING_SUBBUFS));
}

/* One copy waits in a socket, and only that has the page, while the other is stolen. */
TEST_F_TIMEOUT(splice, socket_then_steal, TIMEOUT_S)
{
	size_t len = RING_SUBBUFS * self->ring.subbuf_size, left;
	int copy[2], sockets[2], room = 8 << 20;
	ssize_t sent;

	if (fuse_missing())
		SKIP(return, "the kernel has no FUSE");
	SPLICE_RING();
	ASSERT_EQ(0, pipe_make(copy, &self->ring));
	ASSERT_EQ(len, tee(self->pipe[0], copy[1], len, 0));
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	ASSERT_EQ(0, setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)));
	for (left = len; left; left -= sent) {
		sent = splice(copy[0], NULL, sockets[0], NULL, left, SPLICE_F_NONBLOCK);
		ASSERT_GT(sent, 0);
	}
	ASSERT_EQ(0, file_take(&self->ring, self->pipe[0]));
	self->ring.next_read = 0;
	EXPECT_EQ(0, ring_check_fd(&self->ring, sockets[1], RING_SUBBUFS));
}

/* Counts what a return probe saw, in a trace of its own. */
static int steals_count(void)
{
	FILE *trace = fopen(PROBES "instances/splice_probe/trace", "r");
	char line[512];
	int count = 0;

	while (trace && fgets(line, sizeof(line), trace))
		count += !!strstr(line, "ret=1");
	if (trace)
		fclose(trace);
	return count;
}

/* Only sub-buffers of one page can go into the page cache as they are. */
TEST_F_TIMEOUT(splice, pages_are_stolen, TIMEOUT_S)
{
	const char *enable = PROBES "instances/splice_probe/events/splice_test/steal/enable";
	int count;

	if (variant->subbuf_kib != 4 || fuse_missing())
		SKIP(return, "FUSE takes single pages only");
	if (text_write(PROBES "kprobe_events", O_APPEND, STEAL))
		SKIP(return, "the kernel has no kprobe events");
	SPLICE_RING();
	mkdir(PROBES "instances/splice_probe", 0755);
	EXPECT_EQ(0, text_write(enable, 0, "1"));
	EXPECT_EQ(0, file_take(&self->ring, self->pipe[0]));
	EXPECT_EQ(0, text_write(enable, 0, "0"));
	count = steals_count();
	rmdir(PROBES "instances/splice_probe");
	EXPECT_EQ(0, text_write(PROBES "kprobe_events", O_APPEND, "-:splice_test/steal"));
	EXPECT_EQ(RING_SUBBUFS, count);
}

TEST_F_TIMEOUT(splice, stats_after_resize, TIMEOUT_S)
{
	long other = variant->subbuf_kib == 4 ? 8 : 4;

	if (ring_write("buffer_subbuf_size_kb", variant->subbuf_kib) == -ENOENT)
		SKIP(return, "the kernel has no buffer_subbuf_size_kb");
	/* More than the ring holds, so that some is overwritten. */
	ASSERT_EQ(0, ring_fill(&self->ring, 4 * RING_SUBBUFS));
	ASSERT_GT(ring_stat(&self->ring, "overrun"), 0);
	ASSERT_EQ(0, ring_write("buffer_subbuf_size_kb", other));
	EXPECT_EQ(0, ring_stat(&self->ring, "entries"));
	EXPECT_EQ(0, ring_stat(&self->ring, "overrun"));
	EXPECT_EQ(0, ring_stat(&self->ring, "read events"));

	self->ring.subbuf_size = other * 1024;
	self->ring.next_read = self->ring.next_written;
	ASSERT_EQ(0, ring_fill(&self->ring, 2));
	ASSERT_EQ(0, ring_splice(&self->ring, self->pipe[1], 2));
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], 2));
}

/* A reader may be a page ahead of the writer, but only one, however often the size changed. */
TEST_F_TIMEOUT(splice, poll_after_resize, TIMEOUT_S)
{
	long kib[2] = { variant->subbuf_kib, variant->subbuf_kib == 4 ? 8 : 4 };
	struct pollfd poller = { .fd = self->ring.raw, .events = POLLIN };
	char subbuf[4096];
	int i;

	if (ring_write("buffer_subbuf_size_kb", variant->subbuf_kib) == -ENOENT)
		SKIP(return, "the kernel has no buffer_subbuf_size_kb");
	for (i = 1; i <= 4; i++) {
		ASSERT_EQ(0, ring_fill(&self->ring, 2));
		while (read(self->ring.raw, subbuf, sizeof(subbuf)) > 0)
			;
		EXPECT_EQ(0, poll(&poller, 1, 0));
		ASSERT_EQ(0, ring_write("buffer_subbuf_size_kb", kib[i % 2]));
		self->ring.subbuf_size = kib[i % 2] * 1024;
	}
	ASSERT_EQ(0, ring_fill(&self->ring, RING_SUBBUFS));
	EXPECT_EQ(1, poll(&poller, 1, 0));
}

TEST_F_TIMEOUT(splice, offline_cpu, TIMEOUT_S)
{
	char path[64];
	int err;

	ring_close(&self->ring);
	ASSERT_EQ(0, ring_remove());
	snprintf(path, sizeof(path), CPU_ONLINE, 1);
	if (number_read(path) != 1 || ring_open(&self->ring, 1, variant->subbuf_kib))
		SKIP(return, "there is no second CPU to be taken offline");

	ASSERT_EQ(0, ring_fill(&self->ring, RING_SUBBUFS));
	/* The test itself must be elsewhere then. */
	ASSERT_EQ(0, sched_setaffinity(0, sizeof(cpu_set_t), &(cpu_set_t){ { 1 } }));
	err = text_write(path, 0, "0");
	if (err)
		SKIP(return, "CPU 1 cannot be taken offline");
	EXPECT_EQ(0, ring_splice(&self->ring, self->pipe[1], RING_SUBBUFS));
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
	EXPECT_EQ(0, text_write(path, 0, "1"));
}

/* Leaves free pages behind that show where they get to; a pipe's are of the kind a ring's are. */
static int memory_soil(size_t size)
{
	char junk[4096];
	int ends[2], err = 0;

	memset(junk, 0xa5, sizeof(junk));
	if (pipe(ends))
		return -errno;
	if (fcntl(ends[1], F_SETPIPE_SZ, size) < 0)
		err = -errno;
	for (; size && !err; size -= sizeof(junk)) {
		if (write(ends[1], junk, sizeof(junk)) != sizeof(junk))
			err = -errno;
	}
	close(ends[0]);
	close(ends[1]);
	return err;
}

/* The ring's pages follow its meta page, which takes as much room as a sub-buffer. */
static char *ring_map(const struct ring *ring, unsigned int *nr_subbufs)
{
	size_t page = getpagesize();
	struct trace_buffer_meta *meta;
	char *map;

	meta = mmap(NULL, page, PROT_READ, MAP_SHARED, ring->raw, 0);
	if (meta == MAP_FAILED)
		return NULL;
	*nr_subbufs = meta->nr_subbufs;
	munmap(meta, page);
	map = mmap(NULL, *nr_subbufs * ring->subbuf_size, PROT_READ, MAP_SHARED, ring->raw,
		   ring->subbuf_size);
	return map == MAP_FAILED ? NULL : map;
}

/* No record has the same byte eight times. */
static size_t soil_find(const struct ring *ring, const char *map, unsigned int nr_subbufs)
{
	const char *end = map + nr_subbufs * ring->subbuf_size;
	size_t found = 0;

	for (; map < end; map += 8)
		found += !memcmp(map, "\xa5\xa5\xa5\xa5\xa5\xa5\xa5\xa5", 8);
	return found;
}

/* What swapped pages held before must not be seen by those who map the ring buffer. */
TEST_F_TIMEOUT(splice, map_after_swap, TIMEOUT_S)
{
	unsigned int nr_subbufs = 0;
	char *map;

	ASSERT_EQ(0, memory_soil(32 << 20));
	SPLICE_RING();
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
	SPLICE_RING();
	map = ring_map(&self->ring, &nr_subbufs);
	if (!map)
		SKIP(return, "the kernel does not map ring buffers");
	EXPECT_EQ(0u, soil_find(&self->ring, map, nr_subbufs));

	/* Readers copy now. */
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
	self->ring.next_read = self->ring.next_written;
	ring_write("trace", 0);
	SPLICE_RING();
	EXPECT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
	munmap(map, nr_subbufs * self->ring.subbuf_size);
}

struct swapper {
	struct ring *ring;
	int pipe[2];
	int err;
	bool stop;
};

static int swapper_turn(struct swapper *swapper)
{
	int err = ring_fill(swapper->ring, 2);

	if (!err)
		err = ring_splice(swapper->ring, swapper->pipe[1], 1);
	if (!err)
		err = ring_check_fd(swapper->ring, swapper->pipe[0], 1);
	ring_write("trace", 0);
	swapper->ring->next_read = swapper->ring->next_written;
	/* Writers are kept out for a moment when a ring buffer is mapped. */
	return err == -EBADF ? 0 : err;
}

static void *swapper_run(void *arg)
{
	struct swapper *swapper = arg;

	while (!swapper->err && !__atomic_load_n(&swapper->stop, __ATOMIC_RELAXED))
		swapper->err = swapper_turn(swapper);
	return NULL;
}

/* A page swapped out while it is being mapped must not be freed under the mapping. */
TEST_F_TIMEOUT(splice, map_while_swapping, TIMEOUT_S)
{
	struct swapper swapper = { .ring = &self->ring };
	unsigned int nr_subbufs, i;
	pthread_t thread;
	char *map;

	map = ring_map(&self->ring, &nr_subbufs);
	if (!map)
		SKIP(return, "the kernel does not map ring buffers");
	munmap(map, nr_subbufs * self->ring.subbuf_size);
	ASSERT_EQ(0, pipe_make(swapper.pipe, &self->ring));
	ASSERT_EQ(0, pthread_create(&thread, NULL, swapper_run, &swapper));
	for (i = 0; i < 200; i++) {
		map = ring_map(&self->ring, &nr_subbufs);
		if (map)
			munmap(map, nr_subbufs * self->ring.subbuf_size);
	}
	__atomic_store_n(&swapper.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, swapper.err);
}

/* Splices with one allocation failing; the rest follows when nothing fails any more. */
static int splice_failing(struct ring *ring, int pipe, struct faults *faults, unsigned int n,
			  bool *failed)
{
	size_t size = ring->subbuf_size;
	ssize_t len;
	int err;

	err = faults_arm(faults, n);
	if (err)
		return err;
	len = splice(ring->raw, NULL, pipe, NULL, RING_SUBBUFS * size, SPLICE_F_NONBLOCK);
	err = len < 0 ? -errno : 0;
	*failed = faults_disarm(faults);
	if (err && !(*failed && err == -ENOMEM))
		return err;
	return ring_splice(ring, pipe, RING_SUBBUFS - (err ? 0 : len / size));
}

/* Whichever allocation fails, no sub-buffer is lost. */
TEST_F_TIMEOUT(splice, allocation_fails, TIMEOUT_S)
{
	struct faults faults;
	bool failed = true;
	unsigned int n;
	int err;

	err = faults_begin(&faults);
	if (err == -ENOENT)
		SKIP(return, "the kernel injects no faults");
	ASSERT_EQ(0, err);
	for (n = 1; failed; n++) {
		ASSERT_EQ(0, ring_write("trace", 0));
		self->ring.next_read = self->ring.next_written;
		ASSERT_EQ(0, ring_fill(&self->ring, RING_SUBBUFS));
		ASSERT_EQ(0, splice_failing(&self->ring, self->pipe[1], &faults, n, &failed));
		ASSERT_EQ(0, ring_check_fd(&self->ring, self->pipe[0], RING_SUBBUFS));
	}
	faults_end(&faults);
	/* One was refused, at the least. */
	EXPECT_GT(n, 2);
}

TEST_HARNESS_MAIN
