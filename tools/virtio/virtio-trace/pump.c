// SPDX-License-Identifier: GPL-2.0-only
/*
 * How do sub-buffers get from the ring to the port without a loss?
 *
 * Theory of operation
 *
 * The pipe is filled only when it is empty and emptied before it is filled again,
 * and the port is always offered all of it at once. Kernels up to and including
 * 6.12 need it so: offered less than the pipe holds, the driver passes on a
 * scatterlist whose end mark lies beyond what it filled; and a chain the queue has
 * no room for is dropped after it was taken out of the pipe, with 0 returned. Room
 * is certain as long as the port says it is writable and a chain takes one entry of
 * the queue. That is so with indirect descriptors; without them it is so for single pages,
 * and the caller asks for a chain of 1. What the queue refuses nevertheless is
 * found by asking the pipe what is left in it, and counted.
 *
 * Ownership: a page spliced into the pipe belongs to the pipe until the port
 * has accepted it; afterwards, whatever becomes of it, to the kernel's queue.
 */
#include "pump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int pipe_make(int ends[2], size_t size)
{
	int ret;

	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC)) {
		ends[0] = -1;
		ends[1] = -1;
		return -errno;
	}
	if (fcntl(ends[1], F_SETPIPE_SZ, (int)size) < 0) {
		ret = -errno;
		fd_close(&ends[0]);
		fd_close(&ends[1]);
		return ret;
	}
	return 0;
}

int pump_init(struct pump *p, size_t pipe_size)
{
	p->ring = -1;
	return pipe_make(p->pipe, pipe_size);
}

static void tail_free(struct pump *p)
{
	free(p->tail);
	p->tail = NULL;
	p->tail_len = 0;
	p->tail_off = 0;
}

static void pump_lose(struct pump *p, enum loss why)
{
	p->ledger.lost[why] += p->piped + p->tail_len - p->tail_off;
	p->piped = 0;
	tail_free(p);
}

void pump_exit(struct pump *p)
{
	pump_lose(p, LOSS_DEVICE);
	pump_close(p);
	fd_close(&p->pipe[0]);
	fd_close(&p->pipe[1]);
}

int pump_abandon(struct pump *p, enum loss why)
{
	int size;

	if (!pump_busy(p))
		return 0;
	pump_lose(p, why);
	size = fcntl(p->pipe[1], F_GETPIPE_SZ);
	fd_close(&p->pipe[0]);
	fd_close(&p->pipe[1]);
	return pipe_make(p->pipe, size > 0 ? size : 65536);
}

/*
 * splice() from the ring takes no more bytes than the pipe has slots of a page:
 * the pipe must be at least as large as a sub-buffer.
 */
static int pump_size_pipe(struct pump *p)
{
	int size;

	size = fcntl(p->pipe[1], F_GETPIPE_SZ);
	if (size >= 0 && (u32)size < p->subbuf_size)
		size = fcntl(p->pipe[1], F_SETPIPE_SZ, (int)p->subbuf_size);
	return size < 0 ? -errno : size;
}

int pump_open(struct pump *p, const char *path, u32 subbuf_size, unsigned int chain_max)
{
	u32 subbufs;
	int ret;

	p->subbuf_size = subbuf_size;
	ret = pump_size_pipe(p);
	if (ret < 0)
		return ret;
	subbufs = (u32)ret / subbuf_size;
	if (subbufs > chain_max)
		subbufs = chain_max;
	p->batch = subbufs * subbuf_size;

	p->ring = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return p->ring < 0 ? -errno : 0;
}

void pump_close(struct pump *p)
{
	fd_close(&p->ring);
}

bool pump_busy(const struct pump *p)
{
	return p->piped || p->tail;
}

/*
 * What @out refused although it had called itself writable is gone from the pipe, on most
 * kernels. An @out that goes on so must not swallow all of the ring: the caller is to wait.
 */
static int pump_refused(struct pump *p)
{
	int left;

	if (ioctl(p->pipe[0], FIONREAD, &left) || left < 0 || (size_t)left > p->piped)
		left = 0;
	p->ledger.lost[LOSS_QUEUE] += p->piped - left;
	p->piped = left;
	if (p->batch > p->subbuf_size)
		p->batch -= p->batch / p->subbuf_size / 2 * p->subbuf_size;
	return ++p->refusals > PUMP_REFUSALS_MAX ? -EAGAIN : 0;
}

static int pump_send_piped(struct pump *p)
{
	ssize_t n;

	n = splice(p->pipe[0], NULL, p->out, NULL, p->piped, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	if (n > 0) {
		p->piped -= n;
		p->refusals = 0;
		p->ledger.port_bytes += n;
		return 0;
	}
	if (n == 0 || errno == ENOSPC)
		return pump_refused(p);
	if (errno == EINTR)
		return 0;
	if (errno == EINVAL && !p->copy) {
		p->copy = true;
		return 0;
	}
	return errno == ENOMEM ? -EAGAIN : -errno;
}

static int pump_send_tail(struct pump *p)
{
	ssize_t n;

	n = write(p->out, p->tail + p->tail_off, p->tail_len - p->tail_off);
	if (n < 0)
		return errno == EINTR ? 0 : errno == ENOMEM ? -EAGAIN : -errno;
	if (n == 0)
		return -EAGAIN;
	p->tail_off += n;
	p->ledger.port_bytes += n;
	if (p->tail_off == p->tail_len)
		tail_free(p);
	return 0;
}

/* For an output that can't be spliced to: the next sub-buffer comes out of the pipe. */
static int pump_copy_piped(struct pump *p)
{
	ssize_t n;

	p->tail = malloc(p->subbuf_size);
	if (!p->tail)
		return -ENOMEM;
	n = read(p->pipe[0], p->tail, p->subbuf_size);
	if (n <= 0) {
		tail_free(p);
		return n && errno == EINTR ? 0 : -EIO;
	}
	p->piped -= n;
	p->tail_len = n;
	return 0;
}

int pump_send(struct pump *p)
{
	int ret = 0;

	while (!ret && pump_busy(p)) {
		if (p->tail)
			ret = pump_send_tail(p);
		else if (p->copy)
			ret = pump_copy_piped(p);
		else
			ret = pump_send_piped(p);
	}
	return ret;
}

ssize_t pump_take(struct pump *p)
{
	ssize_t n;

	do {
		n = splice(p->ring, NULL, p->pipe[1], NULL, p->batch,
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		return -EAGAIN;
	if (n < 0)
		return errno == EINVAL ? -ESTALE : errno == ENOMEM ? -EAGAIN : -errno;
	p->piped = n;
	p->ledger.ring_bytes += n;
	p->ledger.ring_subbufs += n / p->subbuf_size;
	if (n % p->subbuf_size) {
		pump_abandon(p, LOSS_RESIZE);
		return -ESTALE;
	}
	return n;
}

ssize_t pump_take_partial(struct pump *p)
{
	ssize_t n;

	/* Twice the size: a read that returns anything but the size tells of a change. */
	p->tail = malloc(2 * (size_t)p->subbuf_size);
	if (!p->tail)
		return -ENOMEM;
	do {
		n = read(p->ring, p->tail, 2 * (size_t)p->subbuf_size);
	} while (n < 0 && errno == EINTR);
	if (n <= 0) {
		n = n && errno != ENOMEM ? -errno : -EAGAIN;
		tail_free(p);
		return n;
	}
	p->tail_len = n;
	p->ledger.ring_bytes += n;
	p->ledger.ring_subbufs++;
	p->ledger.partial++;
	if ((size_t)n != p->subbuf_size) {
		pump_lose(p, LOSS_RESIZE);
		return -ESTALE;
	}
	return n;
}
