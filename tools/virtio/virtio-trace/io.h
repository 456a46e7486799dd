/* SPDX-License-Identifier: GPL-2.0-only */
/* Small acts on files that every part of the agent needs: whole reads, events, the time. */
#ifndef VIRTIO_TRACE_IO_H
#define VIRTIO_TRACE_IO_H

#include "types.h"

/**
 * io_read_file() - read a small file to its end
 * @buf: the text, NUL-terminated; what does not fit is left out
 * @size: bytes in @buf
 * @fmt: the path
 *
 * The size that stat tells is not looked at: in sysfs and tracefs it is 0 or a guess.
 *
 * Return: the length of the text, or -errno.
 */
ssize_t __printf(3, 4) io_read_file(char *buf, size_t size, const char *fmt, ...);

/**
 * io_event_fire() - make an eventfd readable
 * @fd: the eventfd
 */
void io_event_fire(int fd);

/**
 * io_event_clear() - make an eventfd unreadable
 * @fd: the eventfd, non-blocking
 */
void io_event_clear(int fd);

/**
 * io_now_ms() - milliseconds on CLOCK_MONOTONIC
 *
 * Return: the time.
 */
u64 io_now_ms(void);

#endif
