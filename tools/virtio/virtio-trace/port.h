/* SPDX-License-Identifier: GPL-2.0-only */
/* Virtio-serial ports: found by the name the host gave them. */
#ifndef VIRTIO_TRACE_PORT_H
#define VIRTIO_TRACE_PORT_H

#include "types.h"

#define PORT_CTL "agent-ctl-path"
#define PORT_FS "agent-fs-path"
#define PORT_CPU_FMT "trace-path-cpu%u"
#define PORT_NAME_MAX 32

/**
 * struct port - an open port
 * @fd: the device; -1 when closed
 * @indirect: its device has indirect descriptors, so that a chain of any length
 *	takes one entry of the queue
 */
struct port {
	int fd;
	bool indirect;
};

/**
 * port_open() - open a port by name, non-blocking, for reading and writing
 * @name: the name, looked up in /sys/class/virtio-ports on whatever device it is
 * @port: the result
 *
 * Return: 0, -ENODEV when no port has that name, -EBUSY when another process has it open,
 * or another -errno.
 */
int port_open(const char *name, struct port *port);

/**
 * port_close() - close a port; harmless on a closed one
 * @port: the port
 */
void port_close(struct port *port);

/**
 * port_exists() - does any port have that name?
 * @name: the name
 *
 * Return: true if so.
 */
bool port_exists(const char *name);

/**
 * port_watch() - make an epoll instance that wakes when the port's state changes
 * @port_fd: the port, or another file that can be polled
 * @wake_fd: an eventfd to be woken by as well
 *
 * The port is watched edge-triggered: POLLHUP stays up for as long as no host is
 * connected, and a level-triggered wait would spin on it. The driver wakes the
 * port's wait queue when the host comes, when it has taken data and when the
 * device goes, so no edge is missed.
 *
 * Return: the epoll file, or -errno (-EPERM: @port_fd can't be polled).
 */
int port_watch(int port_fd, int wake_fd);

#endif
