/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving sub-buffers of one CPU from the ring through a pipe into the port, never blocking. */
#ifndef VIRTIO_TRACE_PUMP_H
#define VIRTIO_TRACE_PUMP_H

#include "ledger.h"
#include "types.h"

/*
 * A chain of descriptors may be no longer than the queue (virtio 1.2, 2.7.5.3.1), and
 * QEMU's virtio-serial queues have 128 entries. The kernel's driver does not look.
 */
#define PUMP_CHAIN_MAX 128

#define PUMP_REFUSALS_MAX 8	/* so often in a row it is tried again at once */

/**
 * struct pump - the way of one CPU's sub-buffers
 * @ring: trace_pipe_raw, non-blocking; -1 when closed
 * @out: the port, or stdout
 * @pipe: read and write end of the pipe between them
 * @copy: @out can't be spliced to: read and write instead
 * @subbuf_size: bytes per sub-buffer while @ring is open
 * @batch: most bytes to take from the ring at once
 * @refusals: how often in a row @out took nothing of what was in the pipe
 * @piped: bytes in the pipe that @out has not accepted yet
 * @tail: bytes on their way to @out by write(): a partial sub-buffer, or with @copy
 *	what came out of the pipe; NULL when there are none
 * @tail_len: how many
 * @tail_off: how many of them @out has accepted
 * @ledger: the account
 */
struct pump {
	int ring;
	int out;
	int pipe[2];
	bool copy;
	u32 subbuf_size;
	u32 batch;
	unsigned int refusals;
	size_t piped;
	char *tail;
	size_t tail_len;
	size_t tail_off;
	struct ledger ledger;
};

/**
 * pump_init() - make the pipe
 * @p: the pump, zeroed; @p->out is set by the caller
 * @pipe_size: bytes the pipe shall hold; more than fs.pipe-max-size needs CAP_SYS_RESOURCE
 *
 * Return: 0 or -errno.
 */
int pump_init(struct pump *p, size_t pipe_size);

/**
 * pump_exit() - close the pipe and give up what is in it, counted as LOSS_DEVICE
 * @p: the pump
 */
void pump_exit(struct pump *p);

/**
 * pump_open() - begin to ship from a ring
 * @p: the pump
 * @path: the CPU's trace_pipe_raw
 * @subbuf_size: bytes per sub-buffer
 * @chain_max: most sub-buffers to hand to the port at once, 1..PUMP_CHAIN_MAX
 *
 * Return: 0 or -errno.
 */
int pump_open(struct pump *p, const char *path, u32 subbuf_size, unsigned int chain_max);

/**
 * pump_close() - end shipping from the ring; what is on its way stays on its way
 * @p: the pump
 */
void pump_close(struct pump *p);

/**
 * pump_busy() - is something on its way that the port has not accepted?
 * @p: the pump
 *
 * Return: true if so.
 */
bool pump_busy(const struct pump *p);

/**
 * pump_send() - hand the port what is on its way
 * @p: the pump
 *
 * Return: 0 when nothing is left; -EAGAIN when the port takes no more now; -EIO when it is
 * broken; another -errno when it is gone for good.
 */
int pump_send(struct pump *p);

/**
 * pump_take() - take full sub-buffers from the ring, at most a batch
 * @p: the pump, with nothing on its way
 *
 * Return: bytes taken; -EAGAIN when no sub-buffer is full or memory is short;
 * -ESTALE when the sub-buffer size has changed; another -errno.
 */
ssize_t pump_take(struct pump *p);

/**
 * pump_take_partial() - take the sub-buffer that is being written, as far as it is
 * @p: the pump, with nothing on its way
 *
 * splice() hands out full sub-buffers only, so this one is read.
 *
 * Return: bytes taken; -EAGAIN when the ring is empty; -ESTALE when the sub-buffer size
 * has changed, with what was read counted as LOSS_RESIZE; another -errno.
 */
ssize_t pump_take_partial(struct pump *p);

/**
 * pump_abandon() - give up what is on its way
 * @p: the pump
 * @why: the reason it is counted under
 *
 * Return: 0, or -errno when the pipe could not be made anew.
 */
int pump_abandon(struct pump *p, enum loss why);

#endif
