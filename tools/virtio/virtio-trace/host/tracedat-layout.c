// SPDX-License-Identifier: GPL-2.0-only
/* Where in a trace.dat each CPU's events lie: far apart while recording, close together after. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracedat-local.h"

/*
 * Theory of operation
 *
 * Packing goes from the first CPU to the last. A small region is copied down
 * and the table is set to the copy before the old one is given up: a file
 * killed at any moment is whole. Copying a large one would take as long as it
 * took to record, and its size in free space, so there the hole in front of it
 * is taken out of the file, where the file system can: the table is a few
 * microseconds behind then, the one moment at which SIGKILL hurts.
 */

#define KIB 1024ULL
#define MIB (1024 * KIB)

#define STRIDE_MAX (MIB * MIB)
#define UNIT_MAX (64 * KIB)
#define COPY_MAX (64 * MIB)
#define PIECE MIB

static u64 align_up(u64 at, u64 unit)
{
	return (at + unit - 1) / unit * unit;
}

/* What regions are aligned to: trace-cmd maps sub-buffers, file systems move blocks. */
static u64 region_unit(const struct tracedat *dat)
{
	struct stat st;
	u64 unit = dat->layout.size;

	if (!fstat(dat->fd, &st) && st.st_blksize > 0)
		while (unit % st.st_blksize && unit < UNIT_MAX)
			unit *= 2;
	return unit;
}

/* Sets the file's length; -EFBIG beyond the process's limit, without its SIGXFSZ. */
static int file_resize(const struct tracedat *dat, u64 size)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && size > limit.rlim_cur)
		return -EFBIG;
	return ftruncate(dat->fd, size) ? -errno : 0;
}

/* The largest stride with which every CPU's region is within what the file system can hold. */
static int stride_choose(const struct tracedat *dat, u64 first, u64 unit, u64 *stride)
{
	int ret = -EFBIG;

	for (*stride = STRIDE_MAX; *stride >= unit; *stride /= 2) {
		if (*stride > ((U64_MAX >> 1) - first) / dat->cpus)
			continue;
		ret = file_resize(dat, first + *stride * dat->cpus);
		if (ret != -EFBIG && ret != -EINVAL)
			break;
	}
	return ret;
}

int tracedat_spread(struct tracedat *dat)
{
	u64 unit = region_unit(dat);
	u64 first = align_up(dat->meta_end, unit);
	int ret;
	u32 i;

	ret = stride_choose(dat, first, unit, &dat->stride);
	if (ret)
		return ret;
	for (i = 0; i < dat->cpus; i++)
		dat->cpu[i].offset = first + i * dat->stride;
	ret = tracedat_show(dat, 0, dat->cpus);
	return ret ? ret : file_resize(dat, first);
}

static int piece_copy(struct tracedat *dat, u64 from, u64 to, u64 len, void *piece)
{
	loff_t in = from, out = to;
	ssize_t n;

	/* A file system may share the blocks; any refusal is met by copying by hand. */
	n = copy_file_range(dat->fd, &in, dat->fd, &out, len, 0);
	if (n == (ssize_t)len)
		return 0;
	n = pread(dat->fd, piece, len, from);
	if (n != (ssize_t)len)
		return n < 0 ? -errno : -EIO;
	return tracedat_put(dat, to, piece, len, NULL);
}

static int region_copy(struct tracedat *dat, u32 cpu, u64 to)
{
	struct tracedat_cpu *region = &dat->cpu[cpu];
	u64 from = region->offset, done, len;
	void *piece;
	int ret = 0;

	if (to + region->shown > from)
		return -EBUSY;
	piece = malloc(PIECE);
	if (!piece)
		return -ENOMEM;
	for (done = 0; !ret && done < region->shown; done += len) {
		len = region->shown - done < PIECE ? region->shown - done : PIECE;
		ret = piece_copy(dat, from + done, to + done, len, piece);
	}
	free(piece);
	if (ret)
		return ret;
	region->offset = to;
	return tracedat_show(dat, cpu, 1);
}

static int region_collapse(struct tracedat *dat, u32 cpu, u64 to)
{
	u64 hole = dat->cpu[cpu].offset - to;
	u32 i;

	if (fallocate(dat->fd, FALLOC_FL_COLLAPSE_RANGE, to, hole))
		return -errno;
	for (i = cpu; i < dat->cpus; i++)
		dat->cpu[i].offset -= hole;
	return tracedat_show(dat, cpu, dat->cpus - cpu);
}

/* What lies between two regions is nobody's; where it can't be given back, it stays. */
static void hole_punch(struct tracedat *dat, u64 from, u64 to)
{
	if (to > from && fallocate(dat->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				   from, to - from))
		return;
}

static void region_pack(struct tracedat *dat, u32 cpu, u64 to)
{
	struct tracedat_cpu *region = &dat->cpu[cpu];
	u64 from = region->offset;

	if (from == to || !region->shown)
		return;
	if (region->shown > COPY_MAX && !region_collapse(dat, cpu, to))
		return;
	if (region_copy(dat, cpu, to))
		hole_punch(dat, to, from);
	else
		hole_punch(dat, to + region->shown, from + region->shown);
}

int tracedat_pack(struct tracedat *dat)
{
	u64 unit = region_unit(dat);
	u64 end = align_up(dat->meta_end, unit);
	int ret;
	u32 i;

	for (i = 0; i < dat->cpus; i++) {
		if (dat->cpu[i].shown)
			region_pack(dat, i, align_up(end, unit));
		else
			dat->cpu[i].offset = align_up(end, unit);
		end = dat->cpu[i].offset + dat->cpu[i].shown;
	}
	ret = tracedat_show(dat, 0, dat->cpus);
	return ret ? ret : file_resize(dat, end);
}
