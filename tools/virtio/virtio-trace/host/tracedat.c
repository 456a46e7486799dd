// SPDX-License-Identifier: GPL-2.0-only
/* How a trace.dat grows while a guest is recorded, valid at every moment. */
#include "tracedat.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../msg.h"
#include "tracedat-local.h"

/*
 * Theory of operation
 *
 * Version 6 wants each CPU's sub-buffers in one piece, but they arrive mixed
 * and nobody knows how many will come. So every CPU is given a region of a
 * sparse file far beyond what it will fill, and the table in front says how
 * much of it there is. Data is written first and the table after it: at any
 * moment, also after SIGKILL, the table speaks of whole sub-buffers that are
 * there. Only closing moves the regions together (tracedat-layout.c).
 */

int tracedat_put(struct tracedat *dat, u64 at, const void *data, size_t len, size_t *done)
{
	size_t sum = 0;
	int ret = 0;
	ssize_t n;

	while (sum < len) {
		n = pwrite(dat->fd, (const char *)data + sum, len - sum, at + sum);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			ret = n ? -errno : -ENOSPC;
			break;
		}
		sum += n;
	}
	if (done)
		*done = sum;
	return ret;
}

void tracedat_order(const struct tracedat *dat, u64 value, unsigned int bytes, u8 *to)
{
	value = dat->layout.big_endian ? htobe64(value << (64 - 8 * bytes)) : htole64(value);
	memcpy(to, &value, bytes);
}

int tracedat_show(struct tracedat *dat, u32 first, u32 count)
{
	u8 entry[16];
	int ret = 0;
	u32 i;

	for (i = first; !ret && i < first + count; i++) {
		tracedat_order(dat, dat->cpu[i].offset, 8, entry);
		tracedat_order(dat, dat->cpu[i].shown, 8, entry + 8);
		ret = tracedat_put(dat, dat->table_at + i * sizeof(entry), entry,
				   sizeof(entry), NULL);
	}
	return ret;
}

static struct tracedat *tracedat_alloc(const char *path, const struct tracedat_info *info)
{
	struct tracedat *dat;

	dat = calloc(1, sizeof(*dat) + info->cpus * sizeof(dat->cpu[0]));
	if (!dat)
		return NULL;
	dat->fd = -1;
	dat->path = strdup(path);
	if (!dat->path)
		goto err_free;
	if (asprintf(&dat->part, "%s.part", path) < 0)
		goto err_free_path;
	dat->layout = info->layout;
	dat->cpus = info->cpus;
	return dat;

err_free_path:
	free(dat->path);
err_free:
	free(dat);
	return NULL;
}

static void tracedat_free(struct tracedat *dat)
{
	free(dat->part);
	free(dat->path);
	free(dat);
}

/* A device or a FIFO of that name is not ours to replace. */
static int path_may_be_replaced(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT ? 0 : msg_err(errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return msg_err(EISDIR, "%s", path);
	if (!S_ISREG(st.st_mode)) {
		msg_err(0, "%s: not a regular file", path);
		return -EINVAL;
	}
	return 0;
}

/* Makes the file under a name of its own, so that an older one lives until this one counts. */
static int tracedat_write_head(struct tracedat *dat, const struct tracedat_info *info,
			       struct source *src)
{
	int ret;

	unlink(dat->part);
	dat->fd = open(dat->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (dat->fd < 0)
		return msg_err(errno, "%s: create", dat->part);

	ret = tracedat_write_meta(dat, info, src);
	if (ret)
		goto err_unlink;
	ret = tracedat_spread(dat);
	if (ret) {
		msg_err(ret, "%s: make room for %u CPUs", dat->part, dat->cpus);
		goto err_unlink;
	}
	return 0;

err_unlink:
	close(dat->fd);
	unlink(dat->part);
	return ret;
}

int tracedat_create(const char *path, const struct tracedat_info *info, struct source *src,
		    struct tracedat **out)
{
	struct tracedat *dat;
	int ret;

	if (!info->cpus || info->cpus > TRACEDAT_CPUS_MAX)
		return msg_err(EINVAL, "%s: %u CPUs", path, info->cpus);
	ret = path_may_be_replaced(path);
	if (ret)
		return ret;
	dat = tracedat_alloc(path, info);
	if (!dat)
		return msg_err(ENOMEM, "%s: create", path);
	ret = tracedat_write_head(dat, info, src);
	if (ret) {
		tracedat_free(dat);
		return ret;
	}
	*out = dat;
	return 0;
}

int tracedat_publish(struct tracedat *dat)
{
	if (rename(dat->part, dat->path))
		return msg_err(errno, "%s: rename to %s", dat->part, dat->path);
	free(dat->part);
	dat->part = NULL;
	return 0;
}

int tracedat_append(struct tracedat *dat, u32 cpu, const void *data, size_t len)
{
	struct tracedat_cpu *region = &dat->cpu[cpu];
	size_t done;
	u64 whole;
	int ret, err;

	if (len > dat->stride - region->size)
		return -EFBIG;
	ret = tracedat_put(dat, region->offset + region->size, data, len, &done);
	region->size += done;

	whole = region->size - region->size % dat->layout.size;
	if (whole == region->shown)
		return ret;
	region->shown = whole;
	err = tracedat_show(dat, cpu, 1);
	return ret ? ret : err;
}

int tracedat_read(struct tracedat *dat, u32 cpu, u64 offset, void *data, size_t len)
{
	struct tracedat_cpu *region = &dat->cpu[cpu];
	ssize_t n;

	if (offset > region->size || len > region->size - offset)
		return -EINVAL;
	while (len) {
		n = pread(dat->fd, data, len, region->offset + offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data = (char *)data + n;
		offset += n;
		len -= n;
	}
	return 0;
}

u64 tracedat_size(const struct tracedat *dat, u32 cpu)
{
	return dat->cpu[cpu].size;
}

int tracedat_cpustat(struct tracedat *dat, u32 cpu, const char *text)
{
	char room[TRACEDAT_CPUSTAT_ROOM] = "";
	u64 at;

	snprintf(room, sizeof(room), "%s", text);
	at = dat->cpustat_at + cpu * (u64)(TRACEDAT_OPTION_HEAD + sizeof(room));
	return tracedat_put(dat, at, room, sizeof(room), NULL);
}

/* Makes the unfinished last sub-buffer of a CPU whole, or leaves it out when it can't be. */
static int region_finish(struct tracedat *dat, u32 cpu, u8 *subbuf, u64 *events_cut)
{
	struct tracedat_cpu *region = &dat->cpu[cpu];
	u32 len = region->size - region->shown;
	ssize_t events;
	int ret;

	if (!len)
		return 0;
	ret = tracedat_read(dat, cpu, region->shown, subbuf, len);
	if (ret)
		return ret;
	region->size = region->shown;
	events = subbuf_cut(&dat->layout, subbuf, len);
	if (events <= 0)
		return 0;
	ret = tracedat_append(dat, cpu, subbuf, dat->layout.size);
	if (!ret && events_cut)
		*events_cut += events;
	return ret;
}

static int tracedat_finish(struct tracedat *dat, u64 *events_cut)
{
	int ret = 0, err;
	u8 *subbuf;
	u32 i;

	subbuf = malloc(dat->layout.size);
	if (!subbuf)
		ret = -ENOMEM;
	for (i = 0; subbuf && i < dat->cpus; i++) {
		err = region_finish(dat, i, subbuf, events_cut);
		ret = ret ? ret : err;
	}
	free(subbuf);

	err = tracedat_pack(dat);
	return ret ? ret : err;
}

int tracedat_close(struct tracedat *dat, u64 *events_cut)
{
	int ret = 0;

	if (events_cut)
		*events_cut = 0;
	if (!dat)
		return 0;
	if (dat->part)
		unlink(dat->part);
	else
		ret = tracedat_finish(dat, events_cut);
	if (close(dat->fd) && !ret)
		ret = -errno;
	tracedat_free(dat);
	return ret;
}
