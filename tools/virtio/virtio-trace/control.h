/* SPDX-License-Identifier: GPL-2.0-only */
/* Orders of the host: what "1" and "0" mean, and the port they come through. */
#ifndef VIRTIO_TRACE_CONTROL_H
#define VIRTIO_TRACE_CONTROL_H

#include "agent.h"
#include "port.h"

/**
 * struct control - the control port
 * @port: the port
 * @ignored: bytes that were no order, since that was said last
 * @said_ms: when it was said
 */
struct control {
	struct port port;
	unsigned int ignored;
	u64 said_ms;
};

/**
 * order_next() - take the next order out of what the host wrote
 * @text: where to look; moved behind what was taken
 * @end: end of the text
 * @run: the order: true for '1', false for '0'
 *
 * Return: 1 for an order, 0 at the end of the text, -EINVAL for a byte that is
 * neither an order nor a newline.
 */
int order_next(const char **text, const char *end, bool *run);

/**
 * control_read() - obey what has come through the control port
 * @ctl: the control port
 * @agent: the agent
 *
 * Reads until there is nothing. What is no order is ignored and said now and then.
 *
 * Return: 0, or -errno when the port is gone.
 */
int control_read(struct control *ctl, struct agent *agent);

#endif
