// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes sequence-numbered markers into the guest's trace, from each of its CPUs.
 *
 *   marker TRACE_MARKER CPUS FIRST COUNT [PAUSE_US [EVERY]]
 *
 * From CPU c come the lines "seq c n" for n from FIRST to FIRST + COUNT - 1, in order,
 * by a thread pinned to c; after each EVERY (1) of them it sleeps PAUSE_US.
 * marker-check finds out on the host which of them arrived.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS_MAX 256

struct writer {
	pthread_t thread;
	const char *path;
	int cpu;
	unsigned long first, count, pause_us, every;
	int err;
};

static void writer_write(struct writer *w, int fd)
{
	unsigned long n;
	char line[64];
	int len;

	for (n = 0; n < w->count && !w->err; n++) {
		len = snprintf(line, sizeof(line), "seq %d %lu", w->cpu, w->first + n);
		if (write(fd, line, len) != len)
			w->err = errno;
		if (w->pause_us && n % w->every == w->every - 1)
			usleep(w->pause_us);
	}
}

static void *writer_main(void *arg)
{
	struct writer *w = arg;
	cpu_set_t set;
	int fd;

	CPU_ZERO(&set);
	CPU_SET(w->cpu, &set);
	fd = open(w->path, O_WRONLY);
	if (fd < 0 || sched_setaffinity(0, sizeof(set), &set))
		w->err = errno;
	else
		writer_write(w, fd);
	return NULL;
}

static unsigned long number(char **argv, int argc, int i, unsigned long missing)
{
	return i < argc ? strtoul(argv[i], NULL, 10) : missing;
}

int main(int argc, char **argv)
{
	static struct writer writers[CPUS_MAX];
	int cpus, i, failed = 0;

	if (argc < 5 || (cpus = atoi(argv[2])) < 1 || cpus > CPUS_MAX) {
		fprintf(stderr, "usage: marker TRACE_MARKER CPUS FIRST COUNT [PAUSE_US [EVERY]]\n");
		return 2;
	}
	for (i = 0; i < cpus; i++) {
		writers[i] = (struct writer){
			.path = argv[1], .cpu = i,
			.first = number(argv, argc, 3, 0), .count = number(argv, argc, 4, 0),
			.pause_us = number(argv, argc, 5, 0), .every = number(argv, argc, 6, 1),
		};
		pthread_create(&writers[i].thread, NULL, writer_main, &writers[i]);
	}
	for (i = 0; i < cpus; i++) {
		pthread_join(writers[i].thread, NULL);
		if (!writers[i].err)
			continue;
		fprintf(stderr, "marker: cpu%d: %s\n", i, strerror(writers[i].err));
		failed = 1;
	}
	return failed;
}
