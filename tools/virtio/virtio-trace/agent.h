/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent as a whole: what was asked for, the order in force, and the relays that obey it. */
#ifndef VIRTIO_TRACE_AGENT_H
#define VIRTIO_TRACE_AGENT_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cpulist.h"
#include "ledger.h"
#include "types.h"

struct relay;

/**
 * struct agent_options - the command line, as options.c fills it
 * @use_stdout: trace data goes to stdout instead of the ports
 * @pipe_size: bytes a relay's pipe holds
 * @latency_ms: no event stays in the guest longer than this while the host reads
 * @instance: tracefs instance to ship from at first; "" is the top level
 * @cpus: CPUs to ship, when @cpus_given
 * @cpus_given: only @cpus are wanted, not every CPU that has a port
 * @daemonize: go to the background once everything is ready
 * @self_test: look whether everything needed is there, and end
 * @verbosity: how much to tell
 */
struct agent_options {
	bool use_stdout;
	u64 pipe_size;
	u64 latency_ms;
	const char *instance;
	struct cpulist cpus;
	bool cpus_given;
	bool daemonize;
	bool self_test;
	unsigned int verbosity;
};

/**
 * struct agent - one running agent; made in main() and handed down
 * @opt: what was asked for
 * @tracing: path of the tracefs mount
 * @acked_fd: eventfd; fired when a relay has obeyed an order
 * @relays: one per CPU shipped
 * @nr_relays: how many
 * @seq: number of the order in force; read without @lock to see that it changed
 * @lock: protects everything below, and each relay's struct relay_public
 * @run: the order in force: ship, or be silent
 * @start_seq: number of the latest start order: a relay that was overtaken by the
 *	stop behind it still owes what the ring held
 * @quit: the agent ends: ship what can be shipped within a moment
 * @quit_ms: CLOCK_MONOTONIC milliseconds at which relays give up when @quit
 * @instance: tracefs instance shipped from; "" is the top level
 * @stdout_lock: with -o, held from the first to the last byte of a sub-buffer
 */
struct agent {
	struct agent_options opt;
	char tracing[PATH_MAX];
	int acked_fd;
	struct relay *relays;
	unsigned int nr_relays;
	atomic_ullong seq;

	pthread_mutex_t lock;
	bool run;
	u64 start_seq;
	bool quit;
	u64 quit_ms;
	char instance[NAME_MAX + 1];

	pthread_mutex_t stdout_lock;
};

/**
 * agent_init() - find tracefs and the ports, start one relay per CPU
 * @agent: the agent, @opt filled in
 *
 * Returns once every relay has said that it is ready, or why it is not. A CPU
 * without a port is told and left out; the agent runs when one relay does.
 *
 * Return: 0 or -errno, said on stderr; then nothing is left behind.
 */
int agent_init(struct agent *agent);

/**
 * agent_exit() - let the relays ship what they can within a second, and end them
 * @agent: the agent
 *
 * Says on stderr what was lost; with verbosity, what each CPU shipped.
 */
void agent_exit(struct agent *agent);

/**
 * agent_order() - put an order in force
 * @agent: the agent
 * @run: start shipping, or ship what was recorded until now and fall silent
 *
 * Return: the order's number, for agent_settled().
 */
u64 agent_order(struct agent *agent, bool run);

/**
 * agent_settled() - has an order been obeyed?
 * @agent: the agent
 * @seq: its number
 *
 * A later order stands for the earlier ones.
 *
 * Return: 0 when every relay has; -EINPROGRESS while one has not; the first
 * relay's -errno when none could.
 */
int agent_settled(struct agent *agent, u64 seq);

/**
 * agent_set_instance() - ship from another tracefs instance at the next start
 * @agent: the agent
 * @name: its name; "" is the top level
 *
 * Return: 0, -EBUSY while an order to ship is in force or being ended,
 * -ENOENT when there is no such instance, -EINVAL for what is no name.
 */
int agent_set_instance(struct agent *agent, const char *name);

#endif
