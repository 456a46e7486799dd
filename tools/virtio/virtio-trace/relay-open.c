// SPDX-License-Identifier: GPL-2.0-only
/* What does a relay hold while it ships: its CPU, its port, its ring? */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "msg.h"
#include "relay-local.h"
#include "tracefs.h"

/*
 * An offline CPU's ring can be read from anywhere; the thread is pinned once the
 * CPU is there. The kernel unpins it when the CPU goes.
 */
void relay_pin(struct relay *r)
{
	cpu_set_t *set;
	size_t size;

	set = CPU_ALLOC(r->cpu + 1);
	if (!set)
		return;
	size = CPU_ALLOC_SIZE(r->cpu + 1);
	CPU_ZERO_S(size, set);
	CPU_SET_S(r->cpu, size, set);
	if (sched_setaffinity(0, size, set) && r->agent->opt.verbosity > 1)
		msg_err(errno, "cpu%u: pin its relay", r->cpu);
	CPU_FREE(set);
}

int relay_open_port(struct relay *r)
{
	int ret = 0;

	if (r->port.fd >= 0)
		return 0;
	if (r->agent->opt.use_stdout) {
		r->port = (struct port){ .fd = dup(STDOUT_FILENO), .indirect = true };
		ret = r->port.fd < 0 ? -errno : 0;
	} else {
		ret = port_open(r->port_name, &r->port);
	}
	if (ret)
		return ret;
	r->pump.out = r->port.fd;
	/* A regular file as stdout can't be watched, and never needs to be. */
	r->watch_fd = port_watch(r->port.fd, r->wake_fd);
	return 0;
}

void relay_close_port(struct relay *r)
{
	if (r->watch_fd >= 0)
		close(r->watch_fd);
	r->watch_fd = -1;
	port_close(&r->port);
}

bool relay_keeps_port(struct relay *r)
{
	char unwanted;

	if (r->port.fd < 0)
		return false;
	if (read(r->port.fd, &unwanted, 1) >= 0 || errno != ENODEV)
		return true;
	relay_close_port(r);
	return false;
}

/*
 * What the host has taken out of the port's queue the driver frees only when somebody
 * writes to the port or asks whether he could. Without that, the last MiBs sent would stay
 * allocated until there is more to send.
 */
void relay_reclaim_port(struct relay *r)
{
	struct pollfd port = { .fd = r->port.fd, .events = POLLOUT };

	poll(&port, 1, 0);
}

int relay_open_ring(struct relay *r)
{
	char path[PATH_MAX], instance[NAME_MAX + 1];
	ssize_t size;
	int ret;

	if (r->pump.ring >= 0)
		return 0;
	pthread_mutex_lock(&r->agent->lock);
	memcpy(instance, r->agent->instance, sizeof(instance));
	pthread_mutex_unlock(&r->agent->lock);

	ret = tracefs_dir(r->agent->tracing, instance, r->dir, sizeof(r->dir));
	if (ret)
		return msg_err(ret, "cpu%u: instance %s", r->cpu, instance);
	size = tracefs_subbuf_size(r->dir);
	if (size <= 0)
		return msg_err(size, "cpu%u: read %s/events/header_page", r->cpu, r->dir);
	ret = snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", r->dir, r->cpu);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;
	ret = pump_open(&r->pump, path, size, r->port.indirect ? PUMP_CHAIN_MAX : 1);
	return ret ? msg_err(ret, "cpu%u: open %s", r->cpu, path) : 0;
}
