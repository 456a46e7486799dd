// SPDX-License-Identifier: GPL-2.0-only
/* Which files does the client hold, and what is open of them? */
#include "fs-fid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fs-limits.h"

struct fs_fid *fs_fid_get(const struct fs_fids *fids, u32 id)
{
	struct fs_fid *fid = fids->bucket[id % FS_FID_BUCKETS];

	while (fid && fid->id != id)
		fid = fid->next;
	return fid;
}

/* A copy of the path in the memory all of them share. */
static char *path_keep(struct fs_fids *fids, const char *path)
{
	size_t size = strlen(path) + 1;
	char *copy;

	copy = size > FS_PATH_BYTES - fids->path_bytes ? NULL : strdup(path);
	if (copy)
		fids->path_bytes += size;
	return copy;
}

static void path_drop(struct fs_fids *fids, char *path)
{
	fids->path_bytes -= strlen(path) + 1;
	free(path);
}

int fs_fid_add(struct fs_fids *fids, u32 id, const char *path)
{
	struct fs_fid **bucket = &fids->bucket[id % FS_FID_BUCKETS], *fid;

	if (fs_fid_get(fids, id))
		return -EEXIST;
	if (fids->count >= FS_FIDS_MAX)
		return -ENFILE;
	fid = calloc(1, sizeof(*fid));
	if (!fid)
		return -ENOMEM;
	fid->path = path_keep(fids, path);
	if (!fid->path)
		goto err_free;

	fid->id = id;
	fid->fd = -1;
	fid->next = *bucket;
	*bucket = fid;
	fids->count++;
	return 0;

err_free:
	free(fid);
	return -ENOMEM;
}

int fs_fid_move(struct fs_fids *fids, struct fs_fid *fid, const char *path)
{
	char *copy = path_keep(fids, path);

	if (!copy)
		return -ENOMEM;
	path_drop(fids, fid->path);
	fid->path = copy;
	return 0;
}

void fs_fid_set_open(struct fs_fids *fids, struct fs_fid *fid, int fd)
{
	fid->opened = true;
	fid->fd = fd;
	fids->open_count++;
}

void fs_fid_drop(struct fs_fids *fids, struct fs_fid *fid)
{
	struct fs_fid **link = &fids->bucket[fid->id % FS_FID_BUCKETS];

	while (*link != fid)
		link = &(*link)->next;
	*link = fid->next;
	fids->count--;

	if (fid->opened)
		fids->open_count--;
	if (fid->fd >= 0)
		close(fid->fd);
	fids->text_bytes -= fid->text_len;
	free(fid->text);
	path_drop(fids, fid->path);
	free(fid);
}

void fs_fid_drop_all(struct fs_fids *fids)
{
	unsigned int i;

	for (i = 0; i < FS_FID_BUCKETS; i++)
		while (fids->bucket[i])
			fs_fid_drop(fids, fids->bucket[i]);
}
