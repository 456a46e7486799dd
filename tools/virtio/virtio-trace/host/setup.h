/* SPDX-License-Identifier: GPL-2.0-only */
/* The command setup: make a guest's directory and say how QEMU is to use it. */
#ifndef VIRTIO_TRACE_SETUP_H
#define VIRTIO_TRACE_SETUP_H

#include "../types.h"

/**
 * struct setup - what to make
 * @dir: absolute path of the guest's directory
 * @cpus: number of CPUs
 * @uid: owner of what is made; -1: the caller
 * @gid: its group; -1: the caller's
 * @made: out: how many FIFOs were made
 * @kept: out: how many were there already
 */
struct setup {
	const char *dir;
	u32 cpus;
	uid_t uid;
	gid_t gid;
	u32 made;
	u32 kept;
};

/**
 * setup_make() - make the directory and the FIFOs that are not there yet
 * @setup: what to make
 *
 * What is there is kept as it is, if it is what it should be. Says what failed.
 *
 * Return: 0 or -errno.
 */
int setup_make(struct setup *setup);

/**
 * cmd_setup() - the command
 * @argc: number of words, "setup" included
 * @argv: the words
 *
 * Return: exit status: 0, 1 when something can't be made, 2 for wrong usage.
 */
int cmd_setup(int argc, char **argv);

#endif
