/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent on agent-fs-path: the files of /agent and the thread that serves the tree. */
#ifndef VIRTIO_TRACE_SERVICE_H
#define VIRTIO_TRACE_SERVICE_H

#include <pthread.h>

#include "agent.h"
#include "fs.h"

/**
 * struct service - the thread of the 9P server
 * @agent: the agent it speaks for
 * @thread: the thread
 * @stop_fd: eventfd; readable: end
 */
struct service {
	struct agent *agent;
	pthread_t thread;
	int stop_fd;
};

/* The files of /agent; their context is the struct agent. */
extern const struct fs_file service_files[];

/**
 * service_start() - serve the tree on agent-fs-path
 * @service: the thread
 * @agent: the agent
 *
 * Return: 0, -ENODEV when there is no such port, another -errno.
 */
int service_start(struct service *service, struct agent *agent);

/**
 * service_stop() - end the thread
 * @service: the thread, started
 */
void service_stop(struct service *service);

#endif
