// SPDX-License-Identifier: GPL-2.0-only
/* How does what the FIFOs bring get into a file, every byte of it counted? */
/*
 * Theory of operation
 *
 * One buffer carries the data of all FIFOs, whichever has some. What came is
 * written first and looked at afterwards: a guest's stream goes to the file as it
 * is, and counting its events only reads. Sub-buffers that lie whole in the buffer
 * are counted there; one that came in two pieces is read back from the file.
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

#define CHUNK_SIZE (1024 * 1024)
#define FIFO_SIZE (1024 * 1024)
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

static int collector_alloc(struct collector *collector)
{
	u32 i;

	collector->cpus = calloc(collector->ncpus, sizeof(*collector->cpus));
	if (!collector->cpus)
		return msg_err(ENOMEM, "guest %s", collector->guest->name);
	for (i = 0; i < collector->ncpus; i++)
		collector->cpus[i] = (struct collector_cpu){ .fd = -1, .raw_fd = -1 };
	collector->chunk = malloc(CHUNK_SIZE);
	if (!collector->chunk)
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
	free(collector->chunk);
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
	collector->scratch = malloc(info->layout.size);
	if (!collector->scratch)
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

static void collector_count(struct collector *collector, struct collector_cpu *cpu,
			    const void *subbuf)
{
	struct subbuf_info info;

	if (subbuf_scan(&collector->layout, subbuf, &info) && !cpu->damaged++)
		msg_err(0, "guest %s: cpu%u: sent a damaged sub-buffer", collector->guest->name,
			cpu->cpu);
	cpu->events += info.events;
	collector->events += info.events;
}

/* Count a sub-buffer of which only the end is in memory. */
static void collector_count_back(struct collector *collector, struct collector_cpu *cpu, u64 pos)
{
	int ret = tracedat_read(collector->dat, cpu->cpu, pos, collector->scratch,
				collector->layout.size);

	if (ret)
		collector->fault = msg_err(ret, "guest %s: cpu%u: read back the trace file",
					   collector->guest->name, cpu->cpu);
	else
		collector_count(collector, cpu, collector->scratch);
}

/* Count the events of all sub-buffers that the newest @len bytes have made whole. */
static void collector_count_new(struct collector *collector, struct collector_cpu *cpu,
				const u8 *data, size_t len)
{
	const size_t size = collector->layout.size;
	u64 pos = cpu->stored - len;
	size_t head = pos % size;

	if (head && head + len < size)
		return;
	if (head) {
		collector_count_back(collector, cpu, pos - head);
		data += size - head;
		len -= size - head;
	}
	for (; len >= size; data += size, len -= size)
		collector_count(collector, cpu, data);
}

static void collector_count_cut_cpu(struct collector *collector, struct collector_cpu *cpu)
{
	u32 size = collector->layout.size, len = cpu->stored % size;
	ssize_t events;

	memset(collector->scratch, 0, size);
	if (!len || tracedat_read(collector->dat, cpu->cpu, cpu->stored - len,
				  collector->scratch, len))
		return;
	events = subbuf_cut(&collector->layout, collector->scratch, len);
	if (events > 0)
		cpu->events += events;
}

void collector_count_cut(struct collector *collector)
{
	u32 i;

	for (i = 0; collector->dat && i < collector->ncpus; i++)
		if (collector->cpus[i].stored)
			collector_count_cut_cpu(collector, &collector->cpus[i]);
}

static size_t collector_store_raw(struct collector *collector, struct collector_cpu *cpu,
				  const u8 *data, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(cpu->raw_fd, data + done, len - done);
		if (n > 0) {
			done += n;
		} else if (errno != EINTR) {
			collector->fault = msg_err(errno, "write cpu%u.raw", cpu->cpu);
			break;
		}
	}
	return done;
}

static size_t collector_store_tracedat(struct collector *collector, struct collector_cpu *cpu,
				       const u8 *data, size_t len)
{
	int ret = tracedat_append(collector->dat, cpu->cpu, data, len);

	if (!ret)
		return len;
	collector->fault = msg_err(ret, "guest %s: cpu%u: write the trace file",
				   collector->guest->name, cpu->cpu);
	return tracedat_size(collector->dat, cpu->cpu) - cpu->stored;
}

static bool collector_has_file(const struct collector *collector, const struct collector_cpu *cpu)
{
	return collector->dat ? cpu->cpu < collector->dat_cpus : collector->raw;
}

static size_t collector_room(struct collector *collector, size_t len)
{
	if (collector->fault || collector->full)
		return 0;
	if (collector->quota && len > collector->quota - collector->stored) {
		collector->full = true;
		return collector->quota - collector->stored;
	}
	return len;
}

static void collector_store(struct collector *collector, struct collector_cpu *cpu,
			    const u8 *data, size_t len)
{
	size_t room = 0, stored = 0;

	if (collector_has_file(collector, cpu))
		room = collector_room(collector, len);
	if (room && collector->raw)
		stored = collector_store_raw(collector, cpu, data, room);
	else if (room)
		stored = collector_store_tracedat(collector, cpu, data, room);
	cpu->stored += stored;
	cpu->discarded += len - stored;
	collector->stored += stored;
	if (stored && collector->dat)
		collector_count_new(collector, cpu, data, stored);
}

static bool collector_read(struct collector *collector, struct collector_cpu *cpu)
{
	ssize_t n = read(cpu->fd, collector->chunk, CHUNK_SIZE);

	if (n > 0) {
		collector_store(collector, cpu, collector->chunk, n);
		return true;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n < 0)
		msg_err(errno, "guest %s: read " GUEST_CPU "%u.out", collector->guest->name,
			cpu->cpu);
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
		moved |= collector_read(collector, &collector->cpus[events[i].data.u32]);
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
