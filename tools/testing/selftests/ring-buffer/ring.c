// SPDX-License-Identifier: GPL-2.0-only
/* How do numbered records get into a ring buffer of a test's own, and how are they checked? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ring.h"

#define INSTANCE	"/sys/kernel/tracing/instances/splice_test"
#define RECORD_ID	0x72696e67
#define RECORD_WORDS	48

/* What trace_marker_raw takes; in the ring buffer it follows the event's common fields. */
struct record {
	__u32 id;
	__u32 number;
	__u32 words[RECORD_WORDS];
};

struct raw_event {
	__u64 common;
	struct record record;
};

/* See events/header_page and events/header_event of tracefs. */
struct subbuf {
	__u64 timestamp;
	long commit;
	__u32 events[];
};

#define COMMIT_SIZE	0x7ffffff

enum { TYPE_DATA_MAX = 28, TYPE_PADDING, TYPE_EXTEND, TYPE_STAMP };

static int instance_open(const char *name, int flags)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), INSTANCE "/%s", name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int ring_write(const char *name, long value)
{
	char text[24];
	int fd, len, err = 0;

	fd = instance_open(name, O_WRONLY | O_TRUNC);
	if (fd < 0)
		return fd;
	len = snprintf(text, sizeof(text), "%ld", value);
	if (write(fd, text, len) != len)
		err = -errno;
	close(fd);
	return err;
}

int ring_open(struct ring *ring, int cpu, unsigned int subbuf_kib)
{
	char name[64];
	int err;

	*ring = (struct ring){ .cpu = cpu, .raw = -1, .marker = -1 };
	ring->subbuf_size = subbuf_kib * 1024;
	/* A test that was killed could not do that. */
	rmdir(INSTANCE);
	if (mkdir(INSTANCE, 0755))
		return -errno;
	err = ring_write("buffer_subbuf_size_kb", subbuf_kib);
	/* Before Linux 6.8 there was no such file, and sub-buffers were pages. */
	if (err == -ENOENT && (long)ring->subbuf_size == sysconf(_SC_PAGESIZE))
		err = 0;
	if (!err)
		err = ring_write("buffer_size_kb", (RING_SUBBUFS + 2) * subbuf_kib);
	if (err)
		goto err_remove;

	snprintf(name, sizeof(name), "per_cpu/cpu%d/trace_pipe_raw", cpu);
	ring->raw = instance_open(name, O_RDONLY | O_NONBLOCK);
	ring->marker = instance_open("trace_marker_raw", O_WRONLY);
	if (ring->raw >= 0 && ring->marker >= 0)
		return 0;
	err = ring->raw < 0 ? ring->raw : ring->marker;
	ring_close(ring);

err_remove:
	rmdir(INSTANCE);
	return err;
}

void ring_close(struct ring *ring)
{
	if (ring->raw >= 0)
		close(ring->raw);
	if (ring->marker >= 0)
		close(ring->marker);
	ring->raw = -1;
	ring->marker = -1;
}

int ring_remove(void)
{
	return rmdir(INSTANCE) ? -errno : 0;
}

static __u32 record_word(__u32 number, unsigned int i)
{
	return number * 2654435761u + i;
}

static int record_write(struct ring *ring)
{
	struct record record = { .id = RECORD_ID, .number = ring->next_written };
	unsigned int i;

	for (i = 0; i < RECORD_WORDS; i++)
		record.words[i] = record_word(record.number, i);
	if (write(ring->marker, &record, sizeof(record)) < 0)
		return -errno;
	ring->next_written++;
	return 0;
}

int ring_fill(struct ring *ring, unsigned int nr_subbufs)
{
	/* The length of an event takes two words; one record more moves the writer on. */
	size_t nr = nr_subbufs * (ring->subbuf_size / (sizeof(struct raw_event) + 8) + 1) + 1;
	cpu_set_t cpus;
	int err = 0;

	CPU_ZERO(&cpus);
	CPU_SET(ring->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return -errno;
	while (nr-- && !err)
		err = record_write(ring);
	return err;
}

long ring_stat(const struct ring *ring, const char *key)
{
	char name[64], text[1024], *at;
	ssize_t len;
	int fd;

	snprintf(name, sizeof(name), "per_cpu/cpu%d/stats", ring->cpu);
	fd = instance_open(name, O_RDONLY);
	if (fd < 0)
		return fd;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len < 0)
		return -EIO;
	text[len] = '\0';
	at = strstr(text, key);
	return at ? strtol(at + strlen(key) + 1, NULL, 10) : -ENOENT;
}

int ring_splice(struct ring *ring, int pipe, unsigned int nr_subbufs)
{
	size_t left = nr_subbufs * ring->subbuf_size;
	ssize_t len;

	while (left) {
		len = splice(ring->raw, NULL, pipe, NULL, left, SPLICE_F_NONBLOCK);
		if (len <= 0)
			return len ? -errno : -ENODATA;
		left -= len;
	}
	return 0;
}

/* Words of an event, its header included; 0 when nothing more follows it. */
static size_t event_words(const __u32 *event, unsigned int type)
{
	switch (type) {
	case 0:
		return 1 + event[1] / 4;
	case TYPE_PADDING:
		return event[0] >> 5 ? 1 + event[1] / 4 : 0;
	case TYPE_EXTEND:
	case TYPE_STAMP:
		return 2;
	default:
		return 1 + type;
	}
}

static bool record_good(const struct ring *ring, const struct record *record)
{
	unsigned int i;

	if (record->id != RECORD_ID || record->number != ring->next_read)
		return false;
	for (i = 0; i < RECORD_WORDS; i++) {
		if (record->words[i] != record_word(record->number, i))
			return false;
	}
	return true;
}

int ring_check(struct ring *ring, const void *subbuf)
{
	const struct subbuf *head = subbuf;
	const __u32 *event = head->events;
	const __u32 *end = event + (head->commit & COMMIT_SIZE) / 4;
	const struct raw_event *raw;
	unsigned int type;
	size_t words;
	int nr = 0;

	for (; event < end; event += words) {
		type = event[0] & 31;
		words = event_words(event, type);
		if (!words)
			break;
		if (words > (size_t)(end - event))
			return -EBADMSG;
		if (type > TYPE_DATA_MAX)
			continue;
		/* Records are too long for their length to be in the header. */
		raw = (const void *)(event + 2);
		if (type || !record_good(ring, &raw->record))
			return -EBADMSG;
		ring->next_read++;
		nr++;
	}
	return nr;
}

static int subbuf_read(int fd, char *to, size_t size)
{
	size_t have = 0;
	ssize_t len;

	while (have < size) {
		len = read(fd, to + have, size - have);
		if (len <= 0)
			return len ? -errno : -ENODATA;
		have += len;
	}
	return 0;
}

int ring_check_fd(struct ring *ring, int fd, unsigned int nr_subbufs)
{
	char *subbuf = malloc(ring->subbuf_size);
	int err = subbuf ? 0 : -ENOMEM;

	while (nr_subbufs-- && !err) {
		err = subbuf_read(fd, subbuf, ring->subbuf_size);
		if (err)
			break;
		err = ring_check(ring, subbuf);
		/* A full sub-buffer without a record was not one. */
		err = err > 0 ? 0 : -EBADMSG;
	}
	free(subbuf);
	return err;
}
