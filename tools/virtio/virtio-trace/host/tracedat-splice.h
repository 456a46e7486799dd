/* SPDX-License-Identifier: GPL-2.0-only */
/* A pipe's bytes moved into a trace.dat without passing through the program. */
#ifndef VIRTIO_TRACE_TRACEDAT_SPLICE_H
#define VIRTIO_TRACE_TRACEDAT_SPLICE_H

#include "tracedat.h"

/**
 * tracedat_splice() - add to a CPU's stream what a pipe holds
 * @dat: the file
 * @cpu: 0..cpus-1
 * @pipe_fd: the pipe
 * @len: at most so many bytes
 *
 * The file is as valid afterwards as after tracedat_append(). What could not be
 * written stays in the pipe.
 *
 * Return: bytes moved, 0 when nobody can write to the pipe any more, -EAGAIN when it
 * is empty, or another -errno.
 */
ssize_t tracedat_splice(struct tracedat *dat, u32 cpu, int pipe_fd, size_t len);

#endif
