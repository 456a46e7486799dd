// SPDX-License-Identifier: GPL-2.0-only
/* How much of the processor does it take to ship a ring buffer through a port? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"

/*
 * Theory of operation
 *
 * "ship" runs in a guest whose clock counts instructions. It records numbered events until
 * a MiB is full, then ships that through the port and takes the time of the second part only,
 * as often as told. "check" runs on the host, at the other end of the port, and reads the
 * sub-buffers as they come: every event has to be there, in order, unchanged.
 */

#define ROUND_BYTES	(1024 * 1024)

struct shipper {
	struct ring ring;
	int port;
	int pipe[2];
	char *subbuf;
};

static int failed(const char *act)
{
	int err = -errno;

	fprintf(stderr, "page-cost: %s: %s\n", act, strerror(-err));
	return err;
}

static int splice_round(struct shipper *shipper, unsigned int nr_subbufs)
{
	size_t left = nr_subbufs * shipper->ring.subbuf_size;
	ssize_t len;
	int err;

	err = ring_splice(&shipper->ring, shipper->pipe[1], nr_subbufs);
	if (err) {
		errno = -err;
		return failed("splice from the ring buffer");
	}
	for (; left; left -= len) {
		len = splice(shipper->pipe[0], NULL, shipper->port, NULL, left, SPLICE_F_MOVE);
		if (len <= 0)
			return failed("splice to the port");
	}
	return 0;
}

/* The port may take less than it is given. */
static int port_write(int port, const char *data, size_t len)
{
	ssize_t done;

	for (; len; data += done, len -= done) {
		done = write(port, data, len);
		if (done <= 0)
			return failed("write to the port");
	}
	return 0;
}

static int read_round(struct shipper *shipper, unsigned int nr_subbufs)
{
	size_t size = shipper->ring.subbuf_size;
	int err = 0;

	while (nr_subbufs-- && !err) {
		if (read(shipper->ring.raw, shipper->subbuf, size) != (ssize_t)size)
			return failed("read from the ring buffer");
		err = port_write(shipper->port, shipper->subbuf, size);
	}
	return err;
}

static long long time_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Interrupts of all virtio devices until now. */
static long irqs_count(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[512], *at;
	long sum = 0;

	while (file && fgets(line, sizeof(line), file)) {
		at = strchr(line, ':');
		if (at && strstr(at, "virtio"))
			sum += strtol(at + 1, NULL, 10);
	}
	if (file)
		fclose(file);
	return sum;
}

/* How often hosts were notified until now, if there is a probe by that name. */
static long notifications_count(void)
{
	FILE *file = fopen("/sys/kernel/tracing/kprobe_profile", "r");
	long hits = 0;

	if (!file)
		return 0;
	if (fscanf(file, " notify %ld", &hits) != 1)
		hits = 0;
	fclose(file);
	return hits;
}

/* One round's worth fits and is left over when the round is shipped. */
static int shipper_open(struct shipper *shipper, unsigned int subbuf_kib, const char *port)
{
	int err;

	err = ring_open(&shipper->ring, 0, subbuf_kib);
	if (!err)
		err = ring_write("buffer_size_kb", 3 * ROUND_BYTES / 1024);
	if (err) {
		errno = -err;
		return failed("making a ring buffer");
	}
	shipper->port = open(port, O_WRONLY);
	if (shipper->port < 0)
		return failed(port);
	shipper->subbuf = malloc(shipper->ring.subbuf_size);
	/* Every sub-buffer takes room for all its pages while it is on its way. */
	if (!shipper->subbuf || pipe(shipper->pipe) ||
	    fcntl(shipper->pipe[1], F_SETPIPE_SZ, 2 * ROUND_BYTES) < 0)
		return failed("making a pipe");
	return 0;
}

static int ship(int argc, char **argv)
{
	unsigned int subbuf_kib, nr_subbufs, rounds, i;
	long long start, ns = 0;
	struct shipper shipper;
	long irqs = 0, notifications = 0;
	bool splices;
	int err;

	if (argc != 4)
		return -EINVAL;
	splices = !strcmp(argv[0], "splice");
	subbuf_kib = strtoul(argv[1], NULL, 10);
	rounds = strtoul(argv[2], NULL, 10);
	nr_subbufs = ROUND_BYTES / 1024 / subbuf_kib;
	err = shipper_open(&shipper, subbuf_kib, argv[3]);

	for (i = 0; i < rounds && !err; i++) {
		err = ring_fill(&shipper.ring, nr_subbufs);
		if (err)
			break;
		irqs -= irqs_count();
		notifications -= notifications_count();
		start = time_ns();
		err = splices ? splice_round(&shipper, nr_subbufs) :
				read_round(&shipper, nr_subbufs);
		ns += time_ns() - start;
		irqs += irqs_count();
		notifications += notifications_count();
	}
	if (!err)
		printf("%.0f %.2f %.2f\n", (double)ns / (rounds * (ROUND_BYTES / 4096)),
		       (double)notifications / rounds, (double)irqs / rounds);
	ring_close(&shipper.ring);
	ring_remove();
	return err;
}

static int check(int argc, char **argv)
{
	struct ring ring = { .raw = -1, .marker = -1 };
	unsigned int nr_subbufs;
	int err;

	if (argc != 2)
		return -EINVAL;
	ring.subbuf_size = strtoul(argv[0], NULL, 10) * 1024;
	nr_subbufs = strtoul(argv[1], NULL, 10) * (ROUND_BYTES / ring.subbuf_size);
	err = ring_check_fd(&ring, STDIN_FILENO, nr_subbufs);
	puts(err ? "no" : "yes");
	return err;
}

int main(int argc, char **argv)
{
	int err = -EINVAL;

	if (argc > 1 && !strcmp(argv[1], "ship"))
		err = ship(argc - 2, argv + 2);
	else if (argc > 1 && !strcmp(argv[1], "check"))
		err = check(argc - 2, argv + 2);
	if (err == -EINVAL)
		fputs("usage: page-cost ship splice|readwrite KIB ROUNDS PORT\n"
		      "       page-cost check KIB ROUNDS\n", stderr);
	return err ? 1 : 0;
}
