// SPDX-License-Identifier: GPL-2.0-only
/* Where is the port of that name? */
#include "port.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "io.h"

#define SYSFS_PORTS "/sys/class/virtio-ports"
#define FEATURE_INDIRECT_DESC 28	/* VIRTIO_RING_F_INDIRECT_DESC */

static bool port_has_name(const char *dev, const char *name)
{
	char text[PORT_NAME_MAX + 2];

	if (io_read_file(text, sizeof(text), SYSFS_PORTS "/%s/name", dev) < 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, name);
}

/* The kernel's name of the port, such as vport1p2. */
static int port_find(const char *name, char *dev, size_t size)
{
	struct dirent *entry;
	int ret = -ENODEV;
	DIR *dir;

	dir = opendir(SYSFS_PORTS);
	if (!dir)
		return errno == ENOENT ? -ENODEV : -errno;
	while (ret && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= size)
			continue;
		if (port_has_name(entry->d_name, name)) {
			snprintf(dev, size, "%s", entry->d_name);
			ret = 0;
		}
	}
	closedir(dir);
	return ret;
}

static bool port_is_indirect(const char *dev)
{
	char bits[80];

	if (io_read_file(bits, sizeof(bits), SYSFS_PORTS "/%s/device/features", dev) < 0)
		return false;
	return strlen(bits) > FEATURE_INDIRECT_DESC && bits[FEATURE_INDIRECT_DESC] == '1';
}

bool port_exists(const char *name)
{
	char dev[64];

	return !port_find(name, dev, sizeof(dev));
}

int port_open(const char *name, struct port *port)
{
	char dev[64], path[80];
	int ret;

	ret = port_find(name, dev, sizeof(dev));
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "/dev/%s", dev);
	port->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (port->fd < 0)
		return -errno;
	port->indirect = port_is_indirect(dev);
	return 0;
}

void port_close(struct port *port)
{
	if (port->fd >= 0)
		close(port->fd);
	port->fd = -1;
}

int port_watch(int port_fd, int wake_fd)
{
	struct epoll_event port = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = port_fd };
	struct epoll_event wake = { .events = EPOLLIN, .data.fd = wake_fd };
	int fd, ret;

	fd = epoll_create1(EPOLL_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (epoll_ctl(fd, EPOLL_CTL_ADD, port_fd, &port) ||
	    epoll_ctl(fd, EPOLL_CTL_ADD, wake_fd, &wake)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	return fd;
}
