// SPDX-License-Identifier: GPL-2.0-only
/* How fast does the host tool move a FIFO into a file, and how fast does cat? */
/*
 * Theory of operation
 *
 * A writer fills a FIFO with full sub-buffers, in pieces as QEMU writes them. cat
 * and the collector empty it by turns into a file in the directory given, so that
 * both meet the same machine. The collector does what it does in a recording: it
 * writes a trace.dat that is valid at every moment, and counts every event when the
 * FIFO is empty, or at the end. The rate is of the way into the file; the processor
 * time is of everything, counting included.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../host/collector.h"
#include "../host/guest.h"
#include "../host/source.h"
#include "peer.h"

#define PIECE (64 * 1024)
#define ROUNDS_MAX 100

/**
 * struct bench - what is measured
 * @peer: the FIFOs and the tree
 * @dir: where the files are written
 * @bytes: how much is moved in a round
 */
struct bench {
	struct peer peer;
	const char *dir;
	u64 bytes;
};

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "bench-host: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static void write_stream(const char *fifo, u64 bytes)
{
	static u8 piece[PIECE];
	u64 done;
	int fd, i;

	for (i = 0; i < (int)(PIECE / PEER_SUBBUF); i++)
		peer_subbuf(piece + i * PEER_SUBBUF, i);
	fd = open(fifo, O_WRONLY);
	if (fd < 0)
		die(fifo);
	for (done = 0; done < bytes; done += PIECE)
		if (write(fd, piece, PIECE) != PIECE)
			die("write to the FIFO");
}

static pid_t writer_start(const struct bench *bench)
{
	char fifo[128];
	pid_t pid;

	snprintf(fifo, sizeof(fifo), "%s/trace-path-cpu0.out", bench->peer.guest);
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		write_stream(fifo, bench->bytes);
		_exit(0);
	}
	return pid;
}

static double cpu_seconds(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec + usage->ru_utime.tv_usec / 1e6 +
	       usage->ru_stime.tv_sec + usage->ru_stime.tv_usec / 1e6;
}

/**
 * struct result - what one round gave
 * @rate: MiB per second
 * @cpu: seconds of processor time for each GiB, the writer's left out
 */
struct result {
	double rate;
	double cpu;
};

static struct result result_of(const struct bench *bench, double begin, double cpu)
{
	double mib = bench->bytes / 1048576.0;

	return (struct result){ .rate = mib / (seconds() - begin), .cpu = cpu * 1024 / mib };
}

static struct result move_by_cat(const struct bench *bench, const char *file)
{
	double begin = seconds();
	struct rusage usage;
	char fifo[128];
	int status;
	pid_t pid;

	snprintf(fifo, sizeof(fifo), "%s/trace-path-cpu0.out", bench->peer.guest);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen(file, "w", stdout))
			die(file);
		execlp("cat", "cat", fifo, NULL);
		die("cat");
	}
	if (wait4(pid, &status, 0, &usage) != pid || status)
		die("cat");
	return result_of(bench, begin, cpu_seconds(&usage));
}

static void collect(struct collector *collector, u64 bytes)
{
	struct pollfd fd = { .fd = collector->epoll_fd, .events = POLLIN };

	while (collector->stored < bytes && !collector->fault) {
		poll(&fd, 1, -1);
		collector_run(collector);
		collector_count(collector);
	}
}

static struct result move_by_collector(const struct bench *bench, const char *file)
{
	double begin = seconds();
	struct rusage before, after;
	struct result result;
	struct tracedat_info info = {
		.layout = { .size = PEER_SUBBUF, .commit_offset = 8, .commit_size = 8,
			    .data_offset = 16 },
		.long_size = 8, .cpus = 1, .tracing = "tracing", .trace_id = 1,
	};
	struct collector collector;
	struct tracedat *dat;
	struct source *src;
	struct guest guest;

	getrusage(RUSAGE_SELF, &before);
	if (guest_open(NULL, bench->peer.guest, &guest) || collector_open(&collector, &guest) ||
	    source_open_dir(bench->peer.dir, NULL, &src) ||
	    tracedat_create(file, &info, src, &dat) || tracedat_publish(dat) ||
	    collector_to_tracedat(&collector, dat, &info))
		exit(EXIT_FAILURE);
	collect(&collector, bench->bytes);
	result = result_of(bench, begin, 0);
	collector_count_rest(&collector);
	if (tracedat_close(dat, NULL) ||
	    collector.events != bench->bytes / PEER_SUBBUF * PEER_SUBBUF_EVENTS) {
		fprintf(stderr, "bench-host: the collector did not get everything\n");
		exit(EXIT_FAILURE);
	}
	source_close_dir(src);
	collector_close(&collector);
	guest_close(&guest);
	getrusage(RUSAGE_SELF, &after);
	result.cpu = (cpu_seconds(&after) - cpu_seconds(&before)) * 1073741824.0 / bench->bytes;
	return result;
}

static struct result measure(const struct bench *bench,
			     struct result (*move)(const struct bench *bench, const char *file))
{
	struct result result;
	char file[256];
	pid_t writer;

	snprintf(file, sizeof(file), "%s/bench-host.%d", bench->dir, getpid());
	writer = writer_start(bench);
	result = move(bench, file);
	if (waitpid(writer, NULL, 0) != writer)
		die("writer");
	unlink(file);
	return result;
}

static int compare_rate(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	return x->rate < y->rate ? -1 : x->rate > y->rate;
}

static int compare_cpu(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static struct result median(struct result *results, int count)
{
	struct result result;

	qsort(results, count, sizeof(*results), compare_rate);
	result.rate = results[count / 2].rate;
	qsort(results, count, sizeof(*results), compare_cpu);
	result.cpu = results[count / 2].cpu;
	return result;
}

static void print_results(const char *name, struct result cat, struct result collector)
{
	printf("%8s %10.0f %10.2f %12.0f %10.2f\n", name, cat.rate, cat.cpu, collector.rate,
	       collector.cpu);
}

static void bench_run(struct bench *bench, int rounds)
{
	struct result cat[ROUNDS_MAX], collector[ROUNDS_MAX];
	char name[16];
	int i;

	printf("%llu MiB into %s\n%8s %21s %23s\n%8s %10s %10s %12s %10s\n", bench->bytes >> 20,
	       bench->dir, "", "cat", "virtio-trace", "round", "MiB/s", "CPU s/GiB", "MiB/s",
	       "CPU s/GiB");
	for (i = 0; i < rounds; i++) {
		cat[i] = measure(bench, move_by_cat);
		collector[i] = measure(bench, move_by_collector);
		snprintf(name, sizeof(name), "%d", i + 1);
		print_results(name, cat[i], collector[i]);
	}
	print_results("median", median(cat, rounds), median(collector, rounds));
}

int main(int argc, char **argv)
{
	struct bench bench = { .dir = NULL };
	struct rusage usage;
	int rounds;

	if (argc != 4) {
		fprintf(stderr, "usage: bench-host DIR MIB ROUNDS\n");
		return 2;
	}
	peer_init(&bench.peer);
	/* Here the writer is QEMU: nobody else may hold the FIFO open. */
	close(bench.peer.fifo[0]);
	bench.peer.fifo[0] = -1;
	bench.dir = argv[1];
	bench.bytes = strtoull(argv[2], NULL, 10) << 20;
	rounds = atoi(argv[3]);
	if (rounds < 1 || rounds > ROUNDS_MAX)
		rounds = 1;
	bench_run(&bench, rounds);
	getrusage(RUSAGE_SELF, &usage);
	printf("virtio-trace's half needed %ld KiB of memory\n", usage.ru_maxrss);
	peer_exit(&bench.peer);
	return EXIT_SUCCESS;
}
