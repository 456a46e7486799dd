// SPDX-License-Identifier: GPL-2.0-only
/* How does what the FIFOs bring get into a file, every byte of it counted? */
/*
 * Theory of operation
 *
 * A guest's stream goes to the file as it is, by splice where the file system can do that: it
 * is never looked at on its way. Its events are counted from the file when no FIFO has anything,
 * so that counting, which costs about as much as moving, holds nobody up. What is recorded faster
 * than that is counted at the end.
 *
 * FIFOs are read even when nothing can be stored, because a FIFO left full holds up
 * the guest's stop order: it is answered when all data has been sent.
 */
#include "collector.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../msg.h"
#include "tracedat-splice.h"

#define MOVE_SIZE (1024 * 1024)
#define FIFO_SIZE (1024 * 1024)
#define SCRATCH_SIZE (128 * 1024)	/* stays in a processor's cache */
#define SCRATCH_ALIGN 4096		/* copies to odd addresses are slow */
#define EVENTS_MAX 64

static int collector_add(struct collector *collector, u32 index)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = index };
	struct collector_cpu *cpu = &collector->cpus[index];

	cpu->cpu = collector->guest->cpus[index];
	cpu->fd = guest_open_trace(collector->guest, cpu->cpu);
	if (cpu->fd < 0)
		return msg_err(cpu->fd, "guest %s: open %s/" GUEST_CPU "%u.out",
			       collector->guest->name, collector->guest->dir, cpu->cpu);
	/* A larger FIFO saves wakeups of all sides; who may not have one does without. */
	fcntl(cpu->fd, F_SETPIPE_SZ, FIFO_SIZE);
	if (epoll_ctl(collector->epoll_fd, EPOLL_CTL_ADD, cpu->fd, &event))
		return msg_err(errno, "guest %s: watch " GUEST_CPU "%u.out",
			       collector->guest->name, cpu->cpu);
	collector->open++;
	return 0;
}

static int collector_alloc_scratch(struct collector *collector, size_t size)
{
	u8 *scratch = aligned_alloc(SCRATCH_ALIGN, (size + SCRATCH_ALIGN - 1) &
				    ~(size_t)(SCRATCH_ALIGN - 1));

	if (!scratch)
		return -ENOMEM;
	free(collector->scratch);
	collector->scratch = scratch;
	collector->scratch_size = size;
	return 0;
}

static int collector_alloc(struct collector *collector)
{
	u32 i;

	collector->cpus = calloc(collector->ncpus, sizeof(*collector->cpus));
	if (!collector->cpus)
		return msg_err(ENOMEM, "guest %s", collector->guest->name);
	for (i = 0; i < collector->ncpus; i++)
		collector->cpus[i] = (struct collector_cpu){ .fd = -1, .raw_fd = -1 };
	if (collector_alloc_scratch(collector, SCRATCH_SIZE))
		return msg_err(ENOMEM, "guest %s", collector->guest->name);
	collector->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (collector->epoll_fd < 0)
		return msg_err(errno, "guest %s: epoll", collector->guest->name);
	return 0;
}

int collector_open(struct collector *collector, const struct guest *guest)
{
	int ret;
	u32 i;

	*collector = (struct collector){
		.guest = guest, .epoll_fd = -1, .ncpus = guest->ncpus,
	};
	ret = collector_alloc(collector);
	for (i = 0; !ret && i < collector->ncpus; i++)
		ret = collector_add(collector, i);
	if (ret)
		collector_close(collector);
	return ret;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void collector_close(struct collector *collector)
{
	u32 i;

	for (i = 0; collector->cpus && i < collector->ncpus; i++) {
		close_if_open(collector->cpus[i].fd);
		close_if_open(collector->cpus[i].raw_fd);
	}
	if (collector->cpus)
		close_if_open(collector->epoll_fd);
	free(collector->cpus);
	free(collector->scratch);
	*collector = (struct collector){ .epoll_fd = -1 };
}

static void collector_begin(struct collector *collector)
{
	u32 i;

	collector->stored = 0;
	collector->events = 0;
	for (i = 0; i < collector->ncpus; i++) {
		collector->cpus[i].stored = 0;
		collector->cpus[i].discarded = 0;
	}
}

int collector_to_tracedat(struct collector *collector, struct tracedat *dat,
			  const struct tracedat_info *info)
{
	if (collector->scratch_size < info->layout.size &&
	    collector_alloc_scratch(collector, info->layout.size))
		return -ENOMEM;
	collector->dat = dat;
	collector->dat_cpus = info->cpus;
	collector->layout = info->layout;
	collector_begin(collector);
	return 0;
}

int collector_to_raw(struct collector *collector, const char *dir)
{
	struct collector_cpu *cpu;
	char name[32];
	int dir_fd;
	u32 i;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return msg_err(errno, "make directory %s", dir);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return msg_err(errno, "open directory %s", dir);
	for (i = 0; i < collector->ncpus; i++) {
		cpu = &collector->cpus[i];
		snprintf(name, sizeof(name), "cpu%u.raw", cpu->cpu);
		cpu->raw_fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (cpu->raw_fd < 0)
			break;
	}
	close(dir_fd);
	if (i < collector->ncpus)
		return msg_err(errno, "make file %s/%s", dir, name);
	collector->raw = true;
	collector_begin(collector);
	return 0;
}

static void collector_count_one(struct collector *collector, struct collector_cpu *cpu,
				const void *subbuf)
{
	struct subbuf_info info;

	if (subbuf_scan(&collector->layout, subbuf, &info) && !cpu->damaged++)
		msg_err(0, "guest %s: cpu%u: sent a damaged sub-buffer", collector->guest->name,
			cpu->cpu);
	cpu->events += info.events;
	collector->events += info.events;
}

/* Count whole sub-buffers, as many as the scratch buffer holds. */
static bool collector_count_some(struct collector *collector, struct collector_cpu *cpu)
{
	const size_t size = collector->layout.size;
	size_t len = collector->scratch_size, pos;
	int ret;

	if (len > cpu->stored - cpu->counted)
		len = cpu->stored - cpu->counted;
	len -= len % size;
	if (!len || collector->fault == -EIO)
		return false;
	ret = tracedat_read(collector->dat, cpu->cpu, cpu->counted, collector->scratch, len);
	if (ret) {
		msg_err(ret, "guest %s: cpu%u: read back the trace file", collector->guest->name,
			cpu->cpu);
		collector->fault = -EIO;
		return false;
	}
	for (pos = 0; pos < len; pos += size)
		collector_count_one(collector, cpu, collector->scratch + pos);
	cpu->counted += len;
	return true;
}

static bool collector_has_input(struct collector *collector)
{
	struct epoll_event event;

	return epoll_wait(collector->epoll_fd, &event, 1, 0) > 0;
}

void collector_count(struct collector *collector)
{
	u32 i;

	for (i = 0; collector->dat && i < collector->ncpus; i++)
		while (!collector_has_input(collector))
			if (!collector_count_some(collector, &collector->cpus[i]))
				break;
}

static void collector_count_cut(struct collector *collector, struct collector_cpu *cpu)
{
	u32 size = collector->layout.size, len = cpu->stored % size;
	ssize_t events;

	memset(collector->scratch, 0, size);
	if (!len || tracedat_read(collector->dat, cpu->cpu, cpu->stored - len,
				  collector->scratch, len))
		return;
	events = subbuf_cut(&collector->layout, collector->scratch, len);
	if (events > 0) {
		cpu->events += events;
		collector->events += events;
	}
}

void collector_count_rest(struct collector *collector)
{
	u32 i;

	for (i = 0; collector->dat && i < collector->ncpus; i++) {
		while (collector_count_some(collector, &collector->cpus[i]))
			;
		if (collector->cpus[i].stored)
			collector_count_cut(collector, &collector->cpus[i]);
	}
}

/* How much may be stored of what a FIFO holds; 0: it is discarded. */
static size_t collector_room(struct collector *collector, const struct collector_cpu *cpu)
{
	u64 left = MOVE_SIZE;

	/* A CPU the guest does not have has no place in the file. */
	if (collector->fault || !(collector->dat ? cpu->cpu < collector->dat_cpus : collector->raw))
		return 0;
	if (collector->quota && collector->quota - collector->stored < left)
		left = collector->quota - collector->stored;
	return left;
}

static ssize_t collector_splice(struct collector *collector, struct collector_cpu *cpu, size_t len)
{
	ssize_t n;

	if (collector->dat)
		return tracedat_splice(collector->dat, cpu->cpu, cpu->fd, len);
	n = splice(cpu->fd, NULL, cpu->raw_fd, NULL, len, SPLICE_F_NONBLOCK);
	return n < 0 ? -errno : n;
}

/* Adds bytes to a CPU's file; how many of them are in it is told also after an error. */
static int collector_write(struct collector *collector, const struct collector_cpu *cpu,
			   size_t len, size_t *done)
{
	u64 before;
	ssize_t n;
	int ret;

	*done = 0;
	if (collector->dat) {
		before = tracedat_size(collector->dat, cpu->cpu);
		ret = tracedat_append(collector->dat, cpu->cpu, collector->scratch, len);
		*done = tracedat_size(collector->dat, cpu->cpu) - before;
		return ret;
	}
	while (*done < len) {
		n = write(cpu->raw_fd, collector->scratch + *done, len - *done);
		if (n < 0 && errno != EINTR)
			return -errno;
		*done += n > 0 ? n : 0;
	}
	return 0;
}

/* For a file that can't be spliced to. What was read and could not be written is discarded. */
static ssize_t collector_copy(struct collector *collector, struct collector_cpu *cpu, size_t len)
{
	size_t done;
	ssize_t n;
	int ret;

	if (len > collector->scratch_size)
		len = collector->scratch_size;
	n = read(cpu->fd, collector->scratch, len);
	if (n <= 0)
		return n < 0 ? -errno : 0;
	ret = collector_write(collector, cpu, n, &done);
	cpu->stored += done;
	cpu->discarded += n - done;
	collector->stored += done;
	return ret ? ret : n;
}

static ssize_t collector_move(struct collector *collector, struct collector_cpu *cpu, size_t len)
{
	ssize_t n;

	if (!collector->copy) {
		n = collector_splice(collector, cpu, len);
		if (n > 0) {
			cpu->stored += n;
			collector->stored += n;
		}
		if (n != -EINVAL)
			return n;
		collector->copy = true;
	}
	return collector_copy(collector, cpu, len);
}

static ssize_t collector_store(struct collector *collector, struct collector_cpu *cpu, size_t len)
{
	ssize_t n = collector_move(collector, cpu, len);

	if (n > 0) {
		collector->full = collector->stored == collector->quota;
	} else if (n < 0 && n != -EAGAIN && n != -EINTR) {
		/* What stays in the FIFO is discarded from now on. */
		collector->fault = msg_err(n, "guest %s: cpu%u: write the trace file",
					   collector->guest->name, cpu->cpu);
		n = -EAGAIN;
	}
	return n;
}

static ssize_t collector_discard(struct collector *collector, struct collector_cpu *cpu)
{
	ssize_t n = read(cpu->fd, collector->scratch, collector->scratch_size);

	if (n > 0)
		cpu->discarded += n;
	return n < 0 ? -errno : n;
}

static bool collector_carry(struct collector *collector, struct collector_cpu *cpu)
{
	size_t room = collector_room(collector, cpu);
	ssize_t n;

	if (room)
		n = collector_store(collector, cpu, room);
	else
		n = collector_discard(collector, cpu);
	if (n > 0)
		return true;
	if (n == -EAGAIN || n == -EINTR)
		return false;
	if (n < 0)
		msg_err(n, "guest %s: read " GUEST_CPU "%u.out", collector->guest->name, cpu->cpu);
	close(cpu->fd);
	cpu->fd = -1;
	collector->open--;
	return false;
}

bool collector_run(struct collector *collector)
{
	struct epoll_event events[EVENTS_MAX];
	bool moved = false;
	int i, n;

	n = epoll_wait(collector->epoll_fd, events, EVENTS_MAX, 0);
	for (i = 0; i < n; i++)
		moved |= collector_carry(collector, &collector->cpus[events[i].data.u32]);
	return moved;
}

static bool collector_has(const struct collector *collector, const u64 *want)
{
	u32 i;

	for (i = 0; want && i < collector->ncpus; i++)
		if (collector_received(&collector->cpus[i]) < want[i])
			return false;
	return want;
}

bool collector_settle(struct collector *collector, const u64 *want, int silence_ms)
{
	struct epoll_event event;
	int n;

	while (!collector_has(collector, want)) {
		if (!collector->open)
			return false;
		n = epoll_wait(collector->epoll_fd, &event, 1, silence_ms);
		if (!n || (n < 0 && errno != EINTR))
			return false;
		collector_run(collector);
	}
	return true;
}
