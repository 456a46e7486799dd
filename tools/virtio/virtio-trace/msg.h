/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages to people: one line each, "program: place: act: cause". */
#ifndef VIRTIO_TRACE_MSG_H
#define VIRTIO_TRACE_MSG_H

#include "types.h"

/**
 * msg_err() - say on stderr what failed and why
 * @err: errno or -errno of the cause; 0 when the text names the cause itself
 * @fmt: place and act, e.g. "cpu3: splice to trace-path-cpu3"
 *
 * Prints "program: <text>: <strerror>" as one write, so that lines of
 * several threads do not mix. Control characters in the text come out as
 * '?': parts of it may be a guest's words.
 *
 * Return: -|@err|, so that a caller can print and pass on in one line.
 */
int __printf(2, 3) msg_err(int err, const char *fmt, ...);

/**
 * msg_info() - tell what is going on, on stderr
 * @fmt: the text; the program's name is put before it
 */
void __printf(1, 2) msg_info(const char *fmt, ...);

#endif
