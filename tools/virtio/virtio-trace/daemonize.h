/* SPDX-License-Identifier: GPL-2.0-only */
/* Going to the background once everything is ready. */
#ifndef VIRTIO_TRACE_DAEMONIZE_H
#define VIRTIO_TRACE_DAEMONIZE_H

#include "types.h"

/**
 * daemonize_begin() - split off the process that will run in the background
 * @ready_fd: in the new process, for daemonize_ready(); -1 in the first one
 * @status: in the first process, the exit status it has to end with: it has
 *	waited until the new one was ready or had failed
 *
 * To be called before any thread is made.
 *
 * Return: 0 in the new process, 1 in the first one, -errno when there is no new one.
 */
int daemonize_begin(int *ready_fd, int *status);

/**
 * daemonize_ready() - let the first process end well, and leave its terminal
 * @ready_fd: from daemonize_begin()
 *
 * Return: 0 or -errno.
 */
int daemonize_ready(int ready_fd);

#endif
