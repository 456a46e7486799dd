/* SPDX-License-Identifier: GPL-2.0-only */
/* Does a pipe buffer of many pages go out whole? */
#ifndef SELFTESTS_VIRTIO_CONSOLE_SUBBUF_H
#define SELFTESTS_VIRTIO_CONSOLE_SUBBUF_H

#include "echo.h"

/**
 * test_subbuf() - splice sub-buffers of 64 KiB from a ring buffer
 * @echo: the port
 *
 * Return: as a test does.
 */
int test_subbuf(struct echo *echo);

#endif /* SELFTESTS_VIRTIO_CONSOLE_SUBBUF_H */
