/* SPDX-License-Identifier: GPL-2.0-only */
/* What a relay took, shipped and lost; every counter only grows. */
#ifndef VIRTIO_TRACE_LEDGER_H
#define VIRTIO_TRACE_LEDGER_H

#include <stdio.h>

#include "types.h"

/**
 * enum loss - why bytes that had been taken from the ring did not reach the port
 * @LOSS_QUEUE: the driver took them from the pipe and its queue refused them
 * @LOSS_RESIZE: the sub-buffer size changed under the relay
 * @LOSS_DEVICE: the port vanished, or the agent ended while the host did not read
 * @LOSS_REASONS: how many reasons there are
 */
enum loss { LOSS_QUEUE, LOSS_RESIZE, LOSS_DEVICE, LOSS_REASONS };

/**
 * struct ledger - one CPU's account
 * @ring_subbufs: sub-buffers taken from the ring
 * @ring_bytes: bytes taken from the ring
 * @partial: of @ring_subbufs, those that were not full
 * @port_bytes: bytes the port accepted
 * @stalls: times the port took no more
 * @wakeups: times the relay woke
 * @lost: bytes lost, by reason; ring_bytes == port_bytes + sum of lost + what is on its way
 */
struct ledger {
	u64 ring_subbufs;
	u64 ring_bytes;
	u64 partial;
	u64 port_bytes;
	u64 stalls;
	u64 wakeups;
	u64 lost[LOSS_REASONS];
};

/**
 * ledger_print() - write the account as " key=value" pairs
 * @l: the account
 * @out: where to
 */
void ledger_print(const struct ledger *l, FILE *out);

/**
 * ledger_lost() - bytes lost for any reason
 * @l: the account
 *
 * Return: the sum.
 */
u64 ledger_lost(const struct ledger *l);

#endif
