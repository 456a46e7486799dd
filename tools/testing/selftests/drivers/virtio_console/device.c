// SPDX-License-Identifier: GPL-2.0-only
/* How is the device below a port taken away, stopped, and put to sleep? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "test.h"

#define DRIVER		"/sys/bus/virtio/drivers/virtio_console/"

/* Of the virtio specification: VIRTIO_F_INDIRECT_DESC */
#define INDIRECT_DESC		28

#define PCI_COMMAND		4
#define PCI_COMMAND_MASTER	4

/* Of /sys/devices/.../0000:00:03.0/virtio2/virtio-ports/vport2p1: where virtio2 is. */
static int device_path(struct echo *echo)
{
	static char device[512];
	char *path, *end;

	if (echo->device)
		return 0;
	path = realpath(echo->port, NULL);
	if (!path)
		return -errno;
	end = strstr(path, "/virtio-ports/");
	if (end) {
		*end = '\0';
		snprintf(device, sizeof(device), "%s", path);
		echo->device = device;
	}
	free(path);

	return end ? 0 : -ENODEV;
}

bool device_has_indirect(struct echo *echo)
{
	char path[600], features[80] = "";
	int fd;

	if (device_path(echo))
		return false;
	snprintf(path, sizeof(path), "%s/features", echo->device);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, features, sizeof(features) - 1) > INDIRECT_DESC)
		close(fd);

	return features[INDIRECT_DESC] == '1';
}

static int driver_write(struct echo *echo, const char *file)
{
	int ret = file_write(file, strrchr(echo->device, '/') + 1);

	return ret == -EACCES ? TEST_SKIP : ret;
}

int device_unbind(struct echo *echo)
{
	return device_path(echo) ?: driver_write(echo, DRIVER "unbind");
}

/* The ports, and their names, come some time after the device. */
int device_bind(struct echo *echo)
{
	int tries, ret = device_path(echo) ?: driver_write(echo, DRIVER "bind");
	char name[80];

	snprintf(name, sizeof(name), "%s/name", echo->port);
	for (tries = 50; tries && !ret; tries--) {
		if (!access(name, F_OK))
			return 0;
		usleep(100000);
	}
	return ret ?: -ETIMEDOUT;
}

static int bus_master_set(struct echo *echo, bool on)
{
	unsigned short command;
	char path[600];
	int fd, ret = device_path(echo);

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/../config", echo->device);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? TEST_SKIP : -errno;
	if (pread(fd, &command, sizeof(command), PCI_COMMAND) == sizeof(command)) {
		command = on ? command | PCI_COMMAND_MASTER : command & ~PCI_COMMAND_MASTER;
		if (pwrite(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
			ret = -errno;
	}
	close(fd);

	return ret;
}

int device_stop(struct echo *echo)
{
	return bus_master_set(echo, false);
}

int device_restart(struct echo *echo)
{
	return bus_master_set(echo, true) ?: device_unbind(echo) ?: device_bind(echo);
}

int system_suspend(const char *level)
{
	int ret = file_write("/sys/power/pm_test", level);

	if (ret) {
		test_note("no pm_test");
		return TEST_SKIP;
	}
	ret = file_write("/sys/power/state", "freeze");
	file_write("/sys/power/pm_test", "none");
	if (ret)
		test_note("suspend: %s", strerror(-ret));

	return ret;
}
