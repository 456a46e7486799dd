/* SPDX-License-Identifier: GPL-2.0-only */
/* What ends a recording from outside: signals, and the command that is run meanwhile. */
#ifndef VIRTIO_TRACE_WORKLOAD_H
#define VIRTIO_TRACE_WORKLOAD_H

#include <signal.h>

#include "../types.h"

/**
 * struct workload - signals as a descriptor, and a command
 * @signal_fd: readable when a signal is pending
 * @mask: signals blocked before
 * @argv: the command; NULL: none
 * @pid: its process; 0: not running
 * @signal: the signal that came; 0: none
 * @exited: the command has ended
 */
struct workload {
	int signal_fd;
	sigset_t mask;
	char **argv;
	pid_t pid;
	int signal;
	bool exited;
};

/**
 * workload_init() - have signals wait to be read
 * @workload: the workload
 * @argv: the command, or NULL
 *
 * Return: 0 or -errno.
 */
int workload_init(struct workload *workload, char **argv);

/**
 * workload_start() - run the command, if there is one
 * @workload: the workload
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int workload_start(struct workload *workload);

/**
 * workload_read() - take the signals that have come
 * @workload: the workload; @signal and @exited tell what they meant
 */
void workload_read(struct workload *workload);

/**
 * workload_exit() - end the command if it runs, tell how it ended, let signals go
 * @workload: the workload
 *
 * A command that takes no notice of SIGTERM is killed.
 */
void workload_exit(struct workload *workload);

#endif
