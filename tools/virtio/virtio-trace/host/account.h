/* SPDX-License-Identifier: GPL-2.0-only */
/* The ledger of a recording: every event is in the file or counted, with the reason. */
#ifndef VIRTIO_TRACE_ACCOUNT_H
#define VIRTIO_TRACE_ACCOUNT_H

#include <stdio.h>

#include "../types.h"
#include "remote.h"

/**
 * enum account_flaw - why a CPU's ledger does not close, or what was lost; bits
 * @ACCOUNT_UNKNOWN: the guest's counts at the end could not be had
 * @ACCOUNT_RESET: counters went backwards: somebody emptied the ring, or the agent restarted
 * @ACCOUNT_SURPLUS: the file holds more events than were taken out of the ring
 * @ACCOUNT_MISSING: bytes that the agent sent did not arrive
 * @ACCOUNT_EXTRA: more bytes arrived than the agent sent
 * @ACCOUNT_AGENT_LOST: the agent took bytes out of the ring which it could not send
 * @ACCOUNT_DAMAGED: sub-buffers arrived that are not sound
 */
enum account_flaw {
	ACCOUNT_UNKNOWN = 1, ACCOUNT_RESET = 2, ACCOUNT_SURPLUS = 4, ACCOUNT_MISSING = 8,
	ACCOUNT_EXTRA = 16, ACCOUNT_AGENT_LOST = 32, ACCOUNT_DAMAGED = 64,
};

/**
 * struct account_row - where the events of a CPU, or of all CPUs, are
 * @recorded: written into the ring between start and stop, or found there at the start
 * @delivered: in the file
 * @overwritten: in the ring by newer ones, before they were taken out
 * @in_ring: left there at the end
 * @others: taken out of the ring by somebody else
 * @unstored: arrived, but were not stored: quota, or a fault of the file
 * @lost: on the way
 * @dropped: never written into the ring, which was full or busy; not part of @recorded
 */
struct account_row {
	u64 recorded, delivered, overwritten, in_ring, others, unstored, lost, dropped;
};

/**
 * struct account_cpu - the ledger of one CPU
 * @cpu: its number
 * @no_port: it has no port, so its events stay in the guest
 * @before: the guest's counters at the start
 * @after: at the end; NULL: not known
 * @received: bytes that arrived
 * @discarded: those of them that were not stored
 * @events: events in the file
 * @damaged: sub-buffers in the file that are not sound
 * @row: result
 * @flaws: result, enum account_flaw
 * @missing: result, bytes that did not arrive
 * @agent_lost: result, bytes the agent could not send
 */
struct account_cpu {
	u32 cpu;
	bool no_port;
	const struct remote_cpu *before;
	const struct remote_cpu *after;
	u64 received;
	u64 discarded;
	u64 events;
	u64 damaged;
	struct account_row row;
	u32 flaws;
	u64 missing;
	u64 agent_lost;
};

/**
 * account_balance() - work out where the events of a CPU are
 * @cpu: its ledger: the results are filled in
 *
 * The kernel's counters obey: events written = entries + overrun + read. So what was
 * recorded is what was overwritten, what is in the ring, and what was read; and what
 * was read is in the file, or was lost, or went to other readers.
 */
void account_balance(struct account_cpu *cpu);

/**
 * account_print() - show the ledger as a table, and in words what is wrong
 * @cpus: the CPUs, balanced
 * @count: how many
 * @out: where to
 *
 * Return: whether it closes and nothing was lost on the way.
 */
bool account_print(const struct account_cpu *cpus, u32 count, FILE *out);

#endif
