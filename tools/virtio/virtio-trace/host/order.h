/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders through agent-ctl-path, as in 2012: no answer, but taken or not. */
#ifndef VIRTIO_TRACE_ORDER_H
#define VIRTIO_TRACE_ORDER_H

#include "../types.h"
#include "guest.h"

#define ORDER_WAIT_MS 5000

/**
 * order_by_fifo() - write "1" or "0" into agent-ctl-path.in and see it taken
 * @guest: the guest
 * @start: which one
 * @wait_ms: how long QEMU may take; it reads on only while the agent has the port open
 *
 * An order nobody took is withdrawn, lest an agent find it later. Says what failed.
 *
 * Return: 0 when it is on its way to the agent, -ENXIO: QEMU does not run,
 * -ETIMEDOUT: not taken, or another -errno.
 */
int order_by_fifo(const struct guest *guest, bool start, u32 wait_ms);

#endif
