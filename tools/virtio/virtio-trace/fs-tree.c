// SPDX-License-Identifier: GPL-2.0-only
/* What is served: /tracing and /kallsyms of the guest, /agent of our own making. */
#include "fs-tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fs-limits.h"

#define BLOCK_SIZE 4096			/* what synthetic files suggest for reads */

static const char *const root_names[] = { "agent", "kallsyms", "tracing" };

int fs_tree_open(struct fs_tree *tree, const struct fs_config *cfg)
{
	tree->kallsyms = cfg->kallsyms;
	tree->files = cfg->files;
	clock_gettime(CLOCK_REALTIME, &tree->born);
	tree->tracing_fd = open(cfg->tracing, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return tree->tracing_fd < 0 ? -errno : 0;
}

void fs_tree_close(struct fs_tree *tree)
{
	close(tree->tracing_fd);
}

static void path_up(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

int fs_path_step(char *path, struct p9_str name)
{
	size_t len = strlen(path);

	if (p9_str_is(name, "."))
		return 0;
	if (p9_str_is(name, "..")) {
		path_up(path);
		return 0;
	}
	if (len + 1 + name.len + 1 > FS_PATH_MAX)
		return -ENAMETOOLONG;
	if (len)
		path[len++] = '/';
	memcpy(path + len, name.s, name.len);
	path[len + name.len] = '\0';
	return 0;
}

/* What follows @dir and a slash in @path; "" for @dir itself, NULL for anything else. */
static const char *path_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	if (strncmp(path, dir, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path[len] ? path + len + 1 : path + len;
}

static int agent_find(const struct fs_tree *tree, const char *name, struct fs_node *node)
{
	const struct fs_file *file;
	const char *rest;

	node->place = FS_AGENT;
	if (!*name)
		return 0;
	node->place = FS_AGENT_FILE;
	for (file = tree->files; file->name; file++) {
		rest = path_below(name, file->name);
		if (!rest)
			continue;
		node->file = file;
		return *rest ? -ENOTDIR : 0;
	}
	return -ENOENT;
}

int fs_tree_find(const struct fs_tree *tree, const char *path, struct fs_node *node)
{
	const char *rest;

	*node = (struct fs_node){ .place = FS_ROOT };
	if (!*path)
		return 0;
	rest = path_below(path, "tracing");
	if (rest) {
		node->place = FS_TRACING;
		node->rel = *rest ? rest : ".";
		return 0;
	}
	rest = path_below(path, "kallsyms");
	if (rest) {
		node->place = FS_KALLSYMS;
		return *rest ? -ENOTDIR : 0;
	}
	rest = path_below(path, "agent");
	return rest ? agent_find(tree, rest, node) : -ENOENT;
}

static int open_beneath(int dir, const char *rel, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (u64)flags,
		.mode = flags & O_CREAT ? mode & 0777 : 0,
		/* Without symbolic links there are no magic links either. */
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV,
	};
	long fd;

	do {
		fd = syscall(SYS_openat2, dir, rel, &how, sizeof(how));
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : (int)fd;
}

int fs_tree_fd(const struct fs_tree *tree, const struct fs_node *node, int flags, mode_t mode)
{
	int fd;

	flags |= O_CLOEXEC | O_NOFOLLOW;
	/* openat2() refuses flags that mean nothing beside O_PATH. */
	if (!(flags & O_PATH))
		flags |= O_NONBLOCK | O_NOCTTY;
	if (node->place == FS_TRACING)
		return open_beneath(tree->tracing_fd, node->rel, flags, mode);
	if ((flags & O_ACCMODE) != O_RDONLY)
		return -EACCES;
	fd = open(tree->kallsyms, flags);
	return fd < 0 ? -errno : fd;
}

static int fd_stat(int fd, struct stat *st)
{
	int err = fstat(fd, st) < 0 ? -errno : 0;

	close(fd);
	return err;
}

int fs_tree_stat(const struct fs_tree *tree, const char *path, struct stat *st)
{
	struct fs_node node;
	int fd, err;

	err = fs_tree_find(tree, path, &node);
	if (err)
		return err;
	if (node.place == FS_TRACING || node.place == FS_KALLSYMS) {
		fd = fs_tree_fd(tree, &node, O_PATH, 0);
		return fd < 0 ? fd : fd_stat(fd, st);
	}

	*st = (struct stat){ .st_nlink = 2, .st_mode = S_IFDIR | 0555, .st_blksize = BLOCK_SIZE };
	st->st_atim = tree->born;
	st->st_mtim = tree->born;
	st->st_ctim = tree->born;
	if (node.place == FS_AGENT_FILE) {
		st->st_nlink = 1;
		st->st_mode = S_IFREG | (node.file->show ? 0444 : 0);
		st->st_mode |= node.file->store ? 0200 : 0;
	}
	return 0;
}

const char *fs_tree_name(const struct fs_tree *tree, enum fs_place place, u64 n)
{
	const struct fs_file *file = tree->files;

	if (place == FS_ROOT)
		return n < ARRAY_SIZE(root_names) ? root_names[n] : NULL;
	while (n-- && file->name)
		file++;
	return file->name;
}

struct p9_qid fs_tree_qid(const char *path, mode_t mode)
{
	struct p9_qid qid = { .path = 0xcbf29ce484222325ULL };

	/* FNV-1a: no two of some 10000 paths meet in 64 bits. */
	for (; *path; path++)
		qid.path = (qid.path ^ (u8)*path) * 0x100000001b3ULL;
	if (S_ISDIR(mode))
		qid.type = P9_QID_DIR;
	else if (S_ISLNK(mode))
		qid.type = P9_QID_SYMLINK;
	return qid;
}
