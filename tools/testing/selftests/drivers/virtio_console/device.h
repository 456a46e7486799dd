/* SPDX-License-Identifier: GPL-2.0-only */
/* How is the device below a port taken away, stopped, and put to sleep? */
#ifndef SELFTESTS_VIRTIO_CONSOLE_DEVICE_H
#define SELFTESTS_VIRTIO_CONSOLE_DEVICE_H

#include "echo.h"

/**
 * device_has_indirect() - does the device take indirect descriptors?
 * @echo: the port
 *
 * Return: whether it does.
 */
bool device_has_indirect(struct echo *echo);

/**
 * device_unbind() - unbind the driver from the port's device
 * @echo: the port; all others of the device go, too
 *
 * Return: 0, TEST_SKIP without the rights, or a negative error number.
 */
int device_unbind(struct echo *echo);

/**
 * device_bind() - bind the driver again
 * @echo: the port, which need not exist
 *
 * Return: 0 or a negative error number.
 */
int device_bind(struct echo *echo);

/**
 * device_stop() - have the device stop using buffers, without telling the driver
 * @echo: the port
 *
 * QEMU drops DRIVER_OK from the status of a device that may not access memory.
 *
 * Return: 0, TEST_SKIP if it is no PCI device, or a negative error number.
 */
int device_stop(struct echo *echo);

/**
 * device_restart() - bring a stopped device back
 * @echo: the port, closed
 *
 * Return: 0 or a negative error number.
 */
int device_restart(struct echo *echo);

/**
 * system_suspend() - suspend to idle and resume, or only a part of it
 * @level: as in /sys/power/pm_test
 *
 * Return: 0, TEST_SKIP where there is no such thing, or a negative error number.
 */
int system_suspend(const char *level);

#endif /* SELFTESTS_VIRTIO_CONSOLE_DEVICE_H */
