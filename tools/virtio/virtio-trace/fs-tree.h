/* SPDX-License-Identifier: GPL-2.0-only */
/* What is served: /tracing and /kallsyms of the guest, /agent of our own making. */
#ifndef VIRTIO_TRACE_FS_TREE_H
#define VIRTIO_TRACE_FS_TREE_H

#include <sys/stat.h>
#include <time.h>

#include "fs.h"
#include "p9.h"

/**
 * struct fs_tree - the tree
 * @tracing_fd: the tracing directory, O_PATH: everything is opened beneath it
 * @kallsyms: path of the file served as /kallsyms
 * @files: the files of /agent
 * @born: the time that / and /agent tell as theirs
 */
struct fs_tree {
	int tracing_fd;
	const char *kallsyms;
	const struct fs_file *files;
	struct timespec born;
};

enum fs_place { FS_ROOT, FS_AGENT, FS_AGENT_FILE, FS_KALLSYMS, FS_TRACING };

/**
 * struct fs_node - where a path leads
 * @place: into which part of the tree
 * @rel: for FS_TRACING: the path below it, "." for itself; points into the path
 * @file: for FS_AGENT_FILE
 */
struct fs_node {
	enum fs_place place;
	const char *rel;
	const struct fs_file *file;
};

/**
 * fs_tree_open() - open the tracing directory
 * @tree: the tree
 * @cfg: says where it is, and what else is served
 *
 * Return: 0 or -errno.
 */
int fs_tree_open(struct fs_tree *tree, const struct fs_config *cfg);

/**
 * fs_tree_close() - close it again
 * @tree: the tree
 */
void fs_tree_close(struct fs_tree *tree);

/**
 * fs_path_step() - go on by one name
 * @path: relative to the root, "" being the root; FS_PATH_MAX bytes, changed in place
 * @name: "." stays, ".." goes up and stops at the root
 *
 * Return: 0, or -ENAMETOOLONG with @path unchanged.
 */
int fs_path_step(char *path, struct p9_str name);

/**
 * fs_tree_find() - which part of the tree is responsible for a path?
 * @tree: the tree
 * @path: as made by fs_path_step()
 * @node: the result
 *
 * Return: 0, -ENOENT or -ENOTDIR. Below /tracing only opening tells what exists.
 */
int fs_tree_find(const struct fs_tree *tree, const char *path, struct fs_node *node);

/**
 * fs_tree_stat() - the attributes of a file
 * @tree: the tree
 * @path: as made by fs_path_step()
 * @st: the result
 *
 * Return: 0 or -errno.
 */
int fs_tree_stat(const struct fs_tree *tree, const char *path, struct stat *st);

/**
 * fs_tree_fd() - open a file or directory of the guest
 * @tree: the tree
 * @node: in FS_TRACING or FS_KALLSYMS
 * @flags: O_*; O_CLOEXEC, O_NOFOLLOW and O_NONBLOCK are added
 * @mode: for O_CREAT
 *
 * Symbolic links, mount points and ways out of the tree are refused by the kernel.
 *
 * Return: a file descriptor or -errno.
 */
int fs_tree_fd(const struct fs_tree *tree, const struct fs_node *node, int flags, mode_t mode);

/**
 * fs_tree_name() - the n-th entry of a directory of our own making
 * @tree: the tree
 * @place: FS_ROOT or FS_AGENT
 * @n: from 0
 *
 * Return: the name, NULL behind the last.
 */
const char *fs_tree_name(const struct fs_tree *tree, enum fs_place place, u64 n);

/**
 * fs_tree_qid() - the identity of a file
 * @path: as made by fs_path_step()
 * @mode: st_mode, of which only the type matters
 *
 * Made from the path: eventfs gives all its files one inode number. The version is 0,
 * which tells Linux not to cache the file.
 *
 * Return: the qid.
 */
struct p9_qid fs_tree_qid(const char *path, mode_t mode);

#endif
