// SPDX-License-Identifier: GPL-2.0-only
/* How does an order reach every relay, and how is it known that they obeyed? */
#include "agent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "port.h"
#include "relay.h"
#include "tracefs.h"

#define QUIT_GRACE_MS 1000

static void agent_wake_relays(struct agent *agent)
{
	unsigned int i;

	for (i = 0; i < agent->nr_relays; i++)
		io_event_fire(agent->relays[i].wake_fd);
}

u64 agent_order(struct agent *agent, bool run)
{
	u64 seq;

	pthread_mutex_lock(&agent->lock);
	agent->run = run;
	seq = atomic_fetch_add(&agent->seq, 1) + 1;
	if (run)
		agent->start_seq = seq;
	pthread_mutex_unlock(&agent->lock);
	agent_wake_relays(agent);
	return seq;
}

static int agent_settled_locked(struct agent *agent, u64 seq)
{
	const struct relay_public *pub;
	unsigned int i, failed = 0;
	int err = 0;

	for (i = 0; i < agent->nr_relays; i++) {
		pub = &agent->relays[i].pub;
		if (pub->acked < seq)
			return -EINPROGRESS;
		if (!pub->err)
			continue;
		failed++;
		if (!err)
			err = pub->err;
	}
	return failed == agent->nr_relays ? err : 0;
}

int agent_settled(struct agent *agent, u64 seq)
{
	int ret;

	pthread_mutex_lock(&agent->lock);
	ret = agent_settled_locked(agent, seq);
	pthread_mutex_unlock(&agent->lock);
	return ret;
}

static bool agent_has_instance(const struct agent *agent, const char *name)
{
	char dir[PATH_MAX];
	struct stat st;

	return !tracefs_dir(agent->tracing, name, dir, sizeof(dir)) &&
	       !stat(dir, &st) && S_ISDIR(st.st_mode);
}

int agent_set_instance(struct agent *agent, const char *name)
{
	int ret = 0;

	if (strlen(name) > NAME_MAX || strchr(name, '/') || name[0] == '.')
		return -EINVAL;
	pthread_mutex_lock(&agent->lock);
	if (agent->run || agent_settled_locked(agent, atomic_load(&agent->seq)) == -EINPROGRESS)
		ret = -EBUSY;
	else if (!agent_has_instance(agent, name))
		ret = -ENOENT;
	else
		snprintf(agent->instance, sizeof(agent->instance), "%s", name);
	pthread_mutex_unlock(&agent->lock);
	return ret;
}

#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"

/* CPUs that can't be shipped are told in one line: a guest may have hundreds to come. */
static int agent_tell_missing(const struct agent *agent, unsigned int missing, unsigned int first)
{
	if (!missing)
		return 0;
	if (agent->opt.cpus_given)
		return msg_err(ENODEV, "cpu%u: open " PORT_CPU_FMT, first, first);
	msg_info("cpu%u and %u more have no port: their events stay in the guest", first,
		 missing - 1);
	return 0;
}

/* The CPUs to ship: those wanted, or every possible one; each needs a port. */
static int agent_find_cpus(struct agent *agent, struct cpulist *cpus)
{
	unsigned int cpu, found = 0, missing = 0, first_missing = 0;
	char text[4096], name[PORT_NAME_MAX];
	struct cpulist wanted = agent->opt.cpus;
	ssize_t len;

	len = io_read_file(text, sizeof(text), POSSIBLE_CPUS);
	if (len < 0)
		return msg_err(len, "read " POSSIBLE_CPUS);
	if (!agent->opt.cpus_given && cpulist_parse(text, &wanted))
		return msg_err(EBADMSG, "read " POSSIBLE_CPUS);

	memset(cpus, 0, sizeof(*cpus));
	for (cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!cpulist_has(&wanted, cpu))
			continue;
		snprintf(name, sizeof(name), PORT_CPU_FMT, cpu);
		if (agent->opt.use_stdout || port_exists(name)) {
			cpulist_add(cpus, cpu);
			found++;
		} else if (!missing++) {
			first_missing = cpu;
		}
	}
	if (!found)
		return msg_err(ENODEV, "no port " PORT_CPU_FMT " on any virtio-serial device",
			       first_missing);
	return agent_tell_missing(agent, missing, first_missing) ? -ENODEV : (int)found;
}

/* Waits until every relay has tried; the number that can ship, or the first -errno. */
static int agent_wait_ready(struct agent *agent)
{
	unsigned int i, ready, able;
	u64 count;
	int err;

	do {
		ready = 0;
		able = 0;
		err = 0;
		pthread_mutex_lock(&agent->lock);
		for (i = 0; i < agent->nr_relays; i++) {
			ready += agent->relays[i].pub.ready;
			able += agent->relays[i].pub.ready && !agent->relays[i].pub.err;
			if (!err)
				err = agent->relays[i].pub.err;
		}
		pthread_mutex_unlock(&agent->lock);
	} while (ready < agent->nr_relays &&
		 (read(agent->acked_fd, &count, sizeof(count)) > 0 || errno == EINTR));
	return able ? (int)able : err;
}

static int agent_start_relays(struct agent *agent, const struct cpulist *cpus, int nr)
{
	unsigned int cpu;
	int ret;

	agent->relays = calloc(nr, sizeof(*agent->relays));
	if (!agent->relays)
		return msg_err(ENOMEM, "start %d relays", nr);
	for (cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!cpulist_has(cpus, cpu))
			continue;
		ret = relay_start(&agent->relays[agent->nr_relays], agent, cpu);
		if (ret)
			return msg_err(ret, "cpu%u: start its relay", cpu);
		agent->nr_relays++;
	}
	return agent_wait_ready(agent);
}

int agent_init(struct agent *agent)
{
	struct cpulist cpus;
	int nr, ret;

	pthread_mutex_init(&agent->lock, NULL);
	pthread_mutex_init(&agent->stdout_lock, NULL);
	ret = tracefs_find(agent->tracing, sizeof(agent->tracing));
	if (ret)
		return ret;
	nr = agent_find_cpus(agent, &cpus);
	if (nr < 0)
		return nr;
	agent->acked_fd = eventfd(0, EFD_CLOEXEC);
	if (agent->acked_fd < 0)
		return msg_err(errno, "make an eventfd");
	ret = agent->opt.instance ? agent_set_instance(agent, agent->opt.instance) : 0;
	if (ret)
		msg_err(ret, "instance %s", agent->opt.instance);
	else
		ret = agent_start_relays(agent, &cpus, nr);
	if (ret < 0) {
		agent_exit(agent);
		return ret;
	}
	return 0;
}

static void agent_report(const struct agent *agent)
{
	const struct ledger *l;
	unsigned int i;

	for (i = 0; i < agent->nr_relays; i++) {
		l = &agent->relays[i].pub.ledger;
		if (agent->opt.verbosity || ledger_lost(l))
			msg_info("cpu%u: %llu bytes taken, %llu shipped; lost: %llu in the queue, %llu by a new sub-buffer size, %llu with the port",
				 agent->relays[i].cpu, l->ring_bytes, l->port_bytes,
				 l->lost[LOSS_QUEUE], l->lost[LOSS_RESIZE], l->lost[LOSS_DEVICE]);
	}
}

void agent_exit(struct agent *agent)
{
	unsigned int i;

	pthread_mutex_lock(&agent->lock);
	agent->run = false;
	agent->quit = true;
	agent->quit_ms = io_now_ms() + QUIT_GRACE_MS;
	atomic_fetch_add(&agent->seq, 1);
	pthread_mutex_unlock(&agent->lock);
	agent_wake_relays(agent);
	for (i = 0; i < agent->nr_relays; i++)
		relay_join(&agent->relays[i]);
	agent_report(agent);
	free(agent->relays);
	close(agent->acked_fd);
}
