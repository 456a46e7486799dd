// SPDX-License-Identifier: GPL-2.0-only
/* What a client does with the file behind one fid. */
#include "fs-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define DIRENTS_SIZE 4096		/* entries asked from the kernel at once */

/* 9P has the numbers of x86, other architectures have their own. */
static int flags_from_p9(u32 p9)
{
	int flags = (int)(p9 & P9_OPEN_ACCMODE);

	if (p9 & P9_OPEN_TRUNC)
		flags |= O_TRUNC;
	if (p9 & P9_OPEN_APPEND)
		flags |= O_APPEND;
	if (p9 & P9_OPEN_DIRECTORY)
		flags |= O_DIRECTORY;
	return flags;
}

static bool is_readable(int flags)
{
	return (flags & O_ACCMODE) != O_WRONLY;
}

static bool is_writable(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* Would the kernel open it, were it a file of its own? */
static int synthetic_check(const struct fs_node *node, int flags)
{
	const struct fs_file *file = node->file;

	if (!file)
		return is_writable(flags) || flags & O_TRUNC ? -EISDIR : 0;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if ((is_readable(flags) && !file->show) || (is_writable(flags) && !file->store))
		return -EACCES;
	return 0;
}

static int open_check(const struct fs_session *s, const struct fs_fid *fid)
{
	if (fid->opened)
		return -EBUSY;
	return s->fids.open_count < FS_OPEN_MAX ? 0 : -EMFILE;
}

int fs_file_open(struct fs_session *s, struct fs_fid *fid, u32 p9)
{
	int flags = flags_from_p9(p9), fd = -1;
	struct fs_node node;
	int err;

	err = open_check(s, fid);
	if (!err)
		err = fs_tree_find(&s->tree, fid->path, &node);
	if (err)
		return err;

	if (node.place == FS_TRACING || node.place == FS_KALLSYMS) {
		fd = fs_tree_fd(&s->tree, &node, flags, 0);
		err = fd < 0 ? fd : 0;
	} else {
		err = synthetic_check(&node, flags);
	}
	if (err)
		return err;

	fid->file = node.file;
	fid->flags = flags;
	fid->nonblock = p9 & P9_OPEN_NONBLOCK;
	fs_fid_set_open(&s->fids, fid, fd);
	return 0;
}

int fs_file_create(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req)
{
	int flags = flags_from_p9(req->flags), fd, err;
	char path[FS_PATH_MAX];
	struct fs_node node;

	snprintf(path, sizeof(path), "%s", fid->path);
	err = open_check(s, fid);
	if (!err)
		err = fs_path_step(path, req->name);
	if (err)
		return err;
	if (fs_tree_find(&s->tree, path, &node) || node.place != FS_TRACING)
		return -EPERM;

	fd = fs_tree_fd(&s->tree, &node,
			flags | O_CREAT | (req->flags & P9_OPEN_EXCL ? O_EXCL : 0), req->attr.mode);
	if (fd < 0)
		return fd;
	err = fs_fid_move(&s->fids, fid, path);
	if (err)
		goto err_close;
	fid->flags = flags;
	fid->nonblock = req->flags & P9_OPEN_NONBLOCK;
	fs_fid_set_open(&s->fids, fid, fd);
	return 0;

err_close:
	close(fd);
	return err;
}

int fs_file_truncate(struct fs_session *s, struct fs_fid *fid)
{
	bool replace = fid->fd >= 0 && is_writable(fid->flags);
	struct fs_node node;
	int fd, err;

	err = fs_tree_find(&s->tree, fid->path, &node);
	if (err)
		return err;
	if (node.place != FS_TRACING && node.place != FS_KALLSYMS)
		return synthetic_check(&node, O_WRONLY);

	fd = fs_tree_fd(&s->tree, &node, (replace ? fid->flags : O_WRONLY) | O_TRUNC, 0);
	if (fd < 0)
		return fd;
	close(replace ? fid->fd : fd);
	if (replace)
		fid->fd = fd;
	return 0;
}

/* Lets a file of /agent write what it has to say, once per fid. */
static int text_make(struct fs_session *s, struct fs_fid *fid)
{
	FILE *out = open_memstream(&fid->text, &fid->text_len);
	int err;

	if (!out)
		return -ENOMEM;
	err = fid->file->show(s->cfg->ctx, out);
	if (fclose(out) && !err)
		err = -ENOMEM;
	if (!err && s->fids.text_bytes + fid->text_len > FS_SNAPSHOT_BYTES)
		err = -ENOMEM;
	if (err) {
		free(fid->text);
		fid->text = NULL;
		fid->text_len = 0;
		return err;
	}
	s->fids.text_bytes += fid->text_len;
	return 0;
}

static ssize_t text_read(struct fs_session *s, struct fs_fid *fid, u64 offset, char *data,
			 size_t count)
{
	int err = 0;

	if (!is_readable(fid->flags))
		return -EBADF;
	if (!fid->text)
		err = text_make(s, fid);
	if (err)
		return err;
	if (offset >= fid->text_len)
		return 0;
	if (count > fid->text_len - offset)
		count = fid->text_len - offset;
	memcpy(data, fid->text + offset, count);
	return (ssize_t)count;
}

static ssize_t fd_read(int fd, u64 offset, char *data, size_t count)
{
	ssize_t n;

	do {
		n = pread(fd, data, count, (off_t)offset);
		if (n < 0 && errno == ESPIPE)
			n = read(fd, data, count);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static ssize_t fd_write(int fd, u64 offset, const char *data, size_t count)
{
	ssize_t n;

	do {
		n = pwrite(fd, data, count, (off_t)offset);
		if (n < 0 && errno == ESPIPE)
			n = write(fd, data, count);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t fs_file_read(struct fs_session *s, struct fs_fid *fid, u64 offset, char *data,
		     size_t count)
{
	size_t done = 0;
	ssize_t n;

	if (!fid->opened)
		return -EBADF;
	if (fid->file)
		return text_read(s, fid, offset, data, count);
	if (fid->fd < 0)
		return -EISDIR;

	/* One read of a sequential file brings a page at most; a message may bring more. */
	do {
		n = fd_read(fid->fd, offset + done, data + done, count - done);
		if (n > 0)
			done += (size_t)n;
	} while (n > 0 && done < count);
	return done ? (ssize_t)done : n;
}

ssize_t fs_file_write(struct fs_session *s, const struct fs_fid *fid, u64 offset,
		      struct p9_str data, u64 *ticket)
{
	int err;

	if (!fid->opened || !is_writable(fid->flags))
		return -EBADF;
	if (!fid->file)
		return fd_write(fid->fd, offset, data.s, data.len);
	err = fid->file->store(s->cfg->ctx, data.s, data.len, ticket);
	return err ? err : (ssize_t)data.len;
}

/* The data of Rreaddir while it grows. */
struct listing {
	const char *dir;
	char *data;
	size_t len;
	size_t size;
};

static u8 qid_type(u8 type)
{
	if (type == DT_DIR)
		return P9_QID_DIR;
	return type == DT_LNK ? P9_QID_SYMLINK : 0;
}

static int listing_add(struct listing *l, const char *name, u8 type, u64 next)
{
	struct p9_dirent de = { .offset = next, .type = type, .name = p9_str(name) };
	char path[FS_PATH_MAX];
	int len;

	snprintf(path, sizeof(path), "%s", l->dir);
	/* What is too deep to walk to is listed all the same. */
	fs_path_step(path, de.name);
	de.qid = fs_tree_qid(path, 0);
	de.qid.type = qid_type(type);
	len = p9_put_dirent(l->data + l->len, l->size - l->len, &de);
	if (len == -EMSGSIZE && !l->len)
		return -EINVAL;
	if (len < 0)
		return len;
	l->len += (size_t)len;
	return 0;
}

static int listing_add_raw(struct listing *l, const char *raw, size_t len)
{
	const struct dirent64 *de;
	size_t at;
	int err;

	for (at = 0; at < len; at += de->d_reclen) {
		de = (const struct dirent64 *)(raw + at);
		err = listing_add(l, de->d_name, de->d_type, (u64)de->d_off);
		if (err)
			return err;
	}
	return 0;
}

static int fd_list(int fd, u64 offset, struct listing *l)
{
	u64 raw[DIRENTS_SIZE / sizeof(u64)];
	ssize_t n;
	int err;

	if (lseek(fd, (off_t)offset, SEEK_SET) < 0)
		return -errno;
	do {
		n = getdents64(fd, raw, sizeof(raw));
		if (n < 0)
			return -errno;
		err = listing_add_raw(l, (const char *)raw, (size_t)n);
	} while (n && !err);
	return err;
}

static int synthetic_list(const struct fs_session *s, enum fs_place place, u64 offset,
			  struct listing *l)
{
	const char *name;
	u8 type;
	int err;

	for (;; offset++) {
		type = DT_DIR;
		if (offset < 2)
			name = offset ? ".." : ".";
		else
			name = fs_tree_name(&s->tree, place, offset - 2);
		if (!name)
			return 0;
		if (offset >= 2 && (place == FS_AGENT || !strcmp(name, "kallsyms")))
			type = DT_REG;
		err = listing_add(l, name, type, offset + 1);
		if (err)
			return err;
	}
}

ssize_t fs_file_readdir(struct fs_session *s, const struct fs_fid *fid, u64 offset, char *data,
			size_t count)
{
	struct listing l = { .dir = fid->path, .data = data, .size = count };
	struct fs_node node;
	int err;

	if (!fid->opened)
		return -EBADF;
	err = fs_tree_find(&s->tree, fid->path, &node);
	if (err)
		return err;
	if (node.place == FS_ROOT || node.place == FS_AGENT)
		err = synthetic_list(s, node.place, offset, &l);
	else
		err = fid->fd < 0 ? -ENOTDIR : fd_list(fid->fd, offset, &l);
	return l.len ? (ssize_t)l.len : err;
}
