/* SPDX-License-Identifier: GPL-2.0-only */
/* What the agent in a guest tells of the guest and of itself. */
#ifndef VIRTIO_TRACE_REMOTE_H
#define VIRTIO_TRACE_REMOTE_H

#include "../cpulist.h"
#include "../types.h"
#include "guest.h"
#include "p9client.h"

#define REMOTE_TEXT_MAX 256	/* longest value that is kept, its NUL included */

/**
 * struct remote_machine - what kind of machine the guest is (/agent/machine)
 * @sysname: as uname has it
 * @nodename: likewise
 * @release: likewise
 * @version: likewise
 * @machine: likewise
 * @online: CPUs that are online
 * @cpus: number of possible CPUs, up to and with the highest one
 * @subbuf_size: bytes per sub-buffer
 * @long_size: bytes in a long, 4 or 8
 * @big_endian: byte order
 */
struct remote_machine {
	char sysname[REMOTE_TEXT_MAX];
	char nodename[REMOTE_TEXT_MAX];
	char release[REMOTE_TEXT_MAX];
	char version[REMOTE_TEXT_MAX];
	char machine[REMOTE_TEXT_MAX];
	struct cpulist online;
	u32 cpus;
	u32 subbuf_size;
	u32 long_size;
	bool big_endian;
};

/**
 * struct remote_cpu - one relay's counters, which only grow but @entries
 * @cpu: its CPU
 * @state: "idle", "running", ...; "": there is no relay
 * @port_bytes: accepted by the port since the agent began
 * @lost_queue: bytes lost because the virtqueue refused them
 * @lost_resize: because the sub-buffer size changed under the relay
 * @lost_device: because the device went away
 * @stalls: times the port was full
 * @wakeups: times the relay's thread woke up
 * @entries: events in the ring now
 * @overrun: events overwritten in the ring
 * @commit_overrun: events refused because an interrupted writer blocked the ring
 * @dropped: events refused because the ring was full
 * @read: events taken out of the ring, by whomever
 */
struct remote_cpu {
	u32 cpu;
	char state[16];
	u64 port_bytes;
	u64 lost_queue, lost_resize, lost_device;
	u64 stalls, wakeups;
	u64 entries, overrun, commit_overrun, dropped, read;
};

/**
 * struct remote_stats - the agent's side of the ledger (/agent/stats)
 * @order: 1 while relays are to run
 * @seq: number of orders taken
 * @instance: the tracefs instance they ship from; "" is the top level
 * @cpus: the relays, ascending by CPU
 * @ncpus: how many
 */
struct remote_stats {
	u32 order;
	u64 seq;
	char instance[REMOTE_TEXT_MAX];
	struct remote_cpu *cpus;
	u32 ncpus;
};

/**
 * remote_connect() - begin a session with a guest's agent
 * @guest: the guest
 * @timeout_ms: how long an answer may take
 * @client: the session
 *
 * Says what failed, but for -ENODEV.
 *
 * Return: 0 or -errno; -ENODEV: QEMU runs, but the guest has no agent-fs-path;
 * -ENXIO: QEMU does not run; -ETIMEDOUT: no agent answers.
 */
int remote_connect(const struct guest *guest, u32 timeout_ms, struct p9client **client);

/**
 * remote_order() - give the order to start or to stop over 9P
 * @client: the session
 * @start: which one
 *
 * Return: 0 when it has been carried out, or -errno.
 */
int remote_order(struct p9client *client, bool start);

/**
 * remote_machine_parse() - read the text of /agent/machine
 * @text: the text, NUL-terminated; it is taken apart
 * @machine: the result
 *
 * Return: 0, -EBADMSG when something is missing or out of bounds.
 */
int remote_machine_parse(char *text, struct remote_machine *machine);

/**
 * remote_machine_read() - ask the agent for its machine
 * @src: the guest's files
 * @machine: the result
 *
 * Return: 0 or -errno.
 */
int remote_machine_read(struct source *src, struct remote_machine *machine);

/**
 * remote_stats_parse() - read the text of /agent/stats
 * @text: the text, NUL-terminated; it is taken apart
 * @stats: the result; to be freed with remote_stats_free()
 *
 * Return: 0, -EBADMSG when it is not such a text, -ENOMEM.
 */
int remote_stats_parse(char *text, struct remote_stats *stats);

/**
 * remote_stats_read() - ask the agent for its counters
 * @src: the guest's files
 * @stats: the result; to be freed with remote_stats_free()
 *
 * Return: 0 or -errno.
 */
int remote_stats_read(struct source *src, struct remote_stats *stats);

/**
 * remote_ring_parse() - read the text of a ring's per_cpu/cpuN/stats
 * @text: the text, NUL-terminated; it is taken apart
 * @cpu: its counters of the ring are set, the others left alone
 *
 * Return: 0 or -EBADMSG.
 */
int remote_ring_parse(char *text, struct remote_cpu *cpu);

/**
 * remote_stats_add_rings() - add the CPUs whose ring no relay empties
 * @src: the guest's files
 * @tracing: its tracing directory
 * @online: CPUs that are online
 * @stats: counters of those that have no relay are added, their
 *	state is empty
 *
 * Return: 0 or -errno.
 */
int remote_stats_add_rings(struct source *src, const char *tracing, const struct cpulist *online,
			   struct remote_stats *stats);

/**
 * remote_lost() - bytes a relay took out of the ring and could not send
 * @cpu: its counters
 *
 * Return: the number, whatever the reason.
 */
static inline u64 remote_lost(const struct remote_cpu *cpu)
{
	return cpu->lost_queue + cpu->lost_resize + cpu->lost_device;
}

/**
 * remote_stats_free() - free what a stats holds
 * @stats: the stats; all zero is allowed
 */
void remote_stats_free(struct remote_stats *stats);

/**
 * remote_stats_cpu() - find a relay
 * @stats: the stats
 * @cpu: its CPU
 *
 * Return: the relay's counters; NULL: there is no relay for this CPU.
 */
const struct remote_cpu *remote_stats_cpu(const struct remote_stats *stats, u32 cpu);

#endif
