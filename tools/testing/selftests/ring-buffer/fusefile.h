/* SPDX-License-Identifier: GPL-2.0-only */
/* How does a test get a file whose pages are moved out of a pipe, where they can be? */
#ifndef SELFTESTS_RING_BUFFER_FUSEFILE_H
#define SELFTESTS_RING_BUFFER_FUSEFILE_H

#include <stddef.h>
#include <sys/types.h>

/**
 * struct fusefile - a file system of one file, served by a process of its own
 * @path: the file, mounted upon a file of this name
 * @server: the process
 */
struct fusefile {
	char path[32];
	pid_t server;
};

/**
 * fusefile_mount() - mount the file
 * @file: filled in
 * @pipe: what the file is read from is spliced from this pipe into the page cache, with
 *	SPLICE_F_MOVE; what is written to the file goes nowhere else
 * @size: bytes in the file
 *
 * Return: 0, -ENODEV or -ENOENT if the kernel has no FUSE, another negative error number.
 */
int fusefile_mount(struct fusefile *file, int pipe, size_t size);

/**
 * fusefile_umount() - unmount the file and end the server
 * @file: the file
 */
void fusefile_umount(struct fusefile *file);

#endif /* SELFTESTS_RING_BUFFER_FUSEFILE_H */
