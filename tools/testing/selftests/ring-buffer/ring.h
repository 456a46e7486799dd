/* SPDX-License-Identifier: GPL-2.0-only */
/* How do numbered records get into a ring buffer of a test's own, and how are they checked? */
#ifndef SELFTESTS_RING_BUFFER_RING_H
#define SELFTESTS_RING_BUFFER_RING_H

#include <stddef.h>
#include <sys/types.h>

#include <linux/types.h>

/* Sub-buffers in flight in each test */
#define RING_SUBBUFS 8

/**
 * struct ring - one CPU's ring buffer of a tracefs instance
 * @cpu: the CPU
 * @raw: its trace_pipe_raw, not blocking; -1 when closed
 * @marker: trace_marker_raw of the instance
 * @subbuf_size: bytes in a sub-buffer
 * @next_written: number of the record to be written next
 * @next_read: number of the record that has to be read next
 */
struct ring {
	int cpu;
	int raw;
	int marker;
	size_t subbuf_size;
	__u32 next_written;
	__u32 next_read;
};

/**
 * ring_open() - make an instance, and open the ring buffer of one CPU in it
 * @ring: filled in
 * @cpu: the CPU
 * @subbuf_kib: size of a sub-buffer
 *
 * Return: 0, or a negative error number with nothing left behind.
 */
int ring_open(struct ring *ring, int cpu, unsigned int subbuf_kib);

/**
 * ring_close() - close the files, so that the instance can be removed
 * @ring: the ring buffer; closing it again does no harm
 */
void ring_close(struct ring *ring);

/**
 * ring_remove() - remove the instance
 *
 * Return: 0 or a negative error number.
 */
int ring_remove(void);

/**
 * ring_fill() - write records on the ring's CPU until sub-buffers are full
 * @ring: the ring buffer
 * @nr_subbufs: how many have to be full
 *
 * Return: 0 or a negative error number.
 */
int ring_fill(struct ring *ring, unsigned int nr_subbufs);

/**
 * ring_write() - write a file of the instance
 * @name: its path below the instance
 * @value: a number
 *
 * Return: 0 or a negative error number.
 */
int ring_write(const char *name, long value);

/**
 * ring_stat() - look a number up in per_cpu/cpuN/stats
 * @ring: the ring buffer
 * @key: what stands before the colon
 *
 * Return: the number, or a negative error number.
 */
long ring_stat(const struct ring *ring, const char *key);

/**
 * ring_splice() - move full sub-buffers into a pipe
 * @ring: the ring buffer
 * @pipe: the pipe's end to write to
 * @nr_subbufs: how many
 *
 * Return: 0 when all of them went, or a negative error number.
 */
int ring_splice(struct ring *ring, int pipe, unsigned int nr_subbufs);

/**
 * ring_check() - check a sub-buffer by its records' numbers and content
 * @ring: knows which record comes next
 * @subbuf: the sub-buffer
 *
 * Return: how many records it has, or -EBADMSG when one is not what it should be.
 */
int ring_check(struct ring *ring, const void *subbuf);

/**
 * ring_check_fd() - read sub-buffers from a file and check them
 * @ring: knows which record comes next
 * @fd: a pipe, a socket or a file
 * @nr_subbufs: how many
 *
 * Return: 0, -ENODATA when there are less, or what ring_check() found.
 */
int ring_check_fd(struct ring *ring, int fd, unsigned int nr_subbufs);

#endif /* SELFTESTS_RING_BUFFER_RING_H */
