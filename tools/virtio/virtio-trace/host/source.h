/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a guest's files come from: the guest over 9P, or a directory with copies of them. */
#ifndef VIRTIO_TRACE_SOURCE_H
#define VIRTIO_TRACE_SOURCE_H

#include "../types.h"

/**
 * struct source - a tree of files as agent-fs-path serves it
 * @read: give the file at @path to @sink, piece by piece, to its end. Paths are
 *	relative to the tree: "tracing/events/header_page", "kallsyms".
 *	Returns 0 or -errno; an error of @sink is handed through.
 * @list: call @name for every entry of the directory at @path, "." and ".." left
 *	out, in no order. Returns 0 or -errno.
 *
 * Embedded in what implements it.
 */
struct source {
	int (*read)(struct source *src, const char *path,
		    int (*sink)(void *to, const void *data, size_t len), void *to);
	int (*list)(struct source *src, const char *path,
		    int (*name)(void *to, const char *entry, bool is_dir), void *to);
};

/**
 * source_read_text() - read a whole small file into memory
 * @src: the tree
 * @path: the file
 * @max: more bytes than this are -EFBIG
 * @text: the contents, NUL-terminated; the caller frees them
 * @len: their length; may be NULL
 *
 * Return: 0 or -errno.
 */
int source_read_text(struct source *src, const char *path, size_t max, char **text, size_t *len);

/**
 * source_list_dirs() - the directories in a directory, by name
 * @src: the tree
 * @path: the directory
 * @max: more directories than this are -E2BIG
 * @names: their names in alphabetical order, NULL at the end; freed with
 *	source_free_names()
 *
 * Names are a guest's words: one with a '/' or a control character in it, or
 * longer than a file's name can be, makes the whole list -EBADMSG.
 *
 * Return: 0 or -errno.
 */
int source_list_dirs(struct source *src, const char *path, unsigned int max, char ***names);

/**
 * source_free_names() - free what source_list_dirs() gave
 * @names: the names; NULL is allowed
 */
void source_free_names(char **names);

/**
 * source_open_dir() - a tree in a local directory
 * @path: the directory. A "tracing" directory below it is used as such; without
 *	one, @path itself stands for "tracing" (a copy of a tracefs tree).
 * @kallsyms: a file to use as "kallsyms", or NULL
 * @src: the tree; close it with source_close_dir()
 *
 * Return: 0 or -errno.
 */
int source_open_dir(const char *path, const char *kallsyms, struct source **src);

/**
 * source_close_dir() - end what source_open_dir() began
 * @src: the tree; NULL is allowed
 */
void source_close_dir(struct source *src);

#endif
