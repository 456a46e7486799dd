/* SPDX-License-Identifier: GPL-2.0-only */
/* One CPU's thread: it obeys the order in force and ships its CPU's sub-buffers. */
#ifndef VIRTIO_TRACE_RELAY_H
#define VIRTIO_TRACE_RELAY_H

#include <pthread.h>

#include "agent.h"
#include "port.h"
#include "pump.h"

/**
 * enum relay_state - what a relay is doing, for /agent/stats
 * @RELAY_IDLE: silent, as ordered
 * @RELAY_RUNNING: shipping
 * @RELAY_DRAINING: shipping what was recorded before the stop order
 * @RELAY_STALLED: shipping, but the port takes no more
 * @RELAY_DOWN: ordered to ship and not able to
 */
enum relay_state { RELAY_IDLE, RELAY_RUNNING, RELAY_DRAINING, RELAY_STALLED, RELAY_DOWN };

/**
 * struct relay_public - what others may see of a relay, under agent->lock
 * @ready: the thread has tried to open what it needs
 * @acked: number of the latest order obeyed
 * @err: why it could not be obeyed, or 0
 * @state: see enum relay_state
 * @subbuf_size: bytes per sub-buffer when it shipped last
 * @ledger: the account as of the latest wait
 */
struct relay_public {
	bool ready;
	u64 acked;
	int err;
	enum relay_state state;
	u32 subbuf_size;
	struct ledger ledger;
};

/**
 * struct relay - one CPU's thread
 * @agent: the agent it belongs to
 * @cpu: the CPU
 * @thread: the thread
 * @wake_fd: eventfd; fired when an order comes
 * @pub: what others may see
 * @port: the port; its fd is stdout with -o
 * @port_name: the port's name, or "stdout"
 * @watch_fd: epoll over port and wake_fd; -1 when there is none
 * @pump: the way of the sub-buffers
 * @seq: number of the order being obeyed
 * @dir: the instance's directory in tracefs while shipping
 * @state: see @pub
 * @port_lost: the last thing that failed was the port
 * @due_ms: when a partly filled sub-buffer is due
 * @nap_ms: how long to leave the ring alone when it called itself readable for nothing
 *
 * All but @pub and @wake_fd is the thread's own.
 */
struct relay {
	struct agent *agent;
	unsigned int cpu;
	pthread_t thread;
	int wake_fd;
	struct relay_public pub;

	struct port port;
	char port_name[PORT_NAME_MAX];
	int watch_fd;
	struct pump pump;
	u64 seq;
	char dir[PATH_MAX];
	enum relay_state state;
	bool port_lost;
	u64 due_ms;
	u64 nap_ms;
};

/**
 * relay_start() - start the thread
 * @r: the relay, zeroed
 * @agent: the agent
 * @cpu: the CPU
 *
 * Return: 0 or -errno; pub.ready tells later that the thread is.
 */
int relay_start(struct relay *r, struct agent *agent, unsigned int cpu);

/**
 * relay_join() - wait for the thread's end and free what it had
 * @r: the relay, after agent->quit was set and wake_fd fired
 */
void relay_join(struct relay *r);

/**
 * relay_state_name() - a state as a word
 * @state: the state
 *
 * Return: the word.
 */
const char *relay_state_name(enum relay_state state);

#endif
