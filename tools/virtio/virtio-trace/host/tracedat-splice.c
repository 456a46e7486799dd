// SPDX-License-Identifier: GPL-2.0-only
/* How does a pipe get into a trace.dat at the least cost? */
#include "tracedat-splice.h"

#include <errno.h>
#include <fcntl.h>

#include "tracedat-local.h"

ssize_t tracedat_splice(struct tracedat *dat, u32 cpu, int pipe_fd, size_t len)
{
	struct tracedat_cpu *region = &dat->cpu[cpu];
	loff_t at = region->offset + region->size;
	ssize_t moved;
	int ret;

	if (len > dat->stride - region->size)
		return -EFBIG;
	moved = splice(pipe_fd, NULL, dat->fd, &at, len, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (moved < 0)
		return -errno;
	region->size += moved;
	/* Nothing is left to append, but the table must be moved on. */
	ret = tracedat_append(dat, cpu, NULL, 0);
	return ret ? ret : moved;
}
