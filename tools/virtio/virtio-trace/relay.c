// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does one CPU's thread do, from its start to its end?
 *
 * Theory of operation
 *
 * The thread waits in one of three places and nowhere else:
 *
 *   relay_idle()       for an order
 *   relay_wait_ring()  for the ring to fill to buffer_percent, an order, or the time
 *                      a partly filled sub-buffer is due
 *   relay_wait_port()  for the port to take more, or an order
 *
 * A stop order is obeyed by shipping what was recorded before it: at most what the
 * ring can hold, so that events which go on coming do not keep the relay, and one
 * partial sub-buffer at the end. A start order which comes meanwhile simply
 * ends the stop.
 *
 * tracefs refuses to change the tracer or to remove the instance while a
 * trace_pipe_raw is open, so the ring is open only while an order to ship is in force.
 */
#include "relay.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "relay-local.h"
#include "tracefs.h"

#define RELAY_STACK_SIZE (64 * 1024)	/* more than PTHREAD_STACK_MIN; PATH_MAX buffers */
#define RELAY_RETRY_MS 1000		/* how often a vanished port is looked for */

static const char * const state_names[] = {
	[RELAY_IDLE] = "idle",
	[RELAY_RUNNING] = "running",
	[RELAY_DRAINING] = "draining",
	[RELAY_STALLED] = "stalled",
	[RELAY_DOWN] = "down",
};

const char *relay_state_name(enum relay_state state)
{
	return state_names[state];
}

/* A copy of the order in force, taken under the lock at once. */
struct order {
	u64 seq;
	u64 start_seq;
	bool run;
	bool quit;
};

static struct order relay_order(struct relay *r)
{
	struct agent *a = r->agent;
	struct order o;

	io_event_clear(r->wake_fd);
	pthread_mutex_lock(&a->lock);
	o = (struct order){ atomic_load(&a->seq), a->start_seq, a->run, a->quit };
	pthread_mutex_unlock(&a->lock);
	return o;
}

static bool relay_order_is_new(struct relay *r)
{
	return atomic_load(&r->agent->seq) != r->seq;
}

static void relay_publish(struct relay *r)
{
	pthread_mutex_lock(&r->agent->lock);
	r->pub.state = r->state;
	r->pub.ledger = r->pump.ledger;
	r->pub.subbuf_size = r->pump.subbuf_size;
	pthread_mutex_unlock(&r->agent->lock);
}

/* The order is obeyed, or can't be: whoever waits for it is told. */
static void relay_ack(struct relay *r, int err)
{
	relay_publish(r);
	pthread_mutex_lock(&r->agent->lock);
	r->pub.ready = true;
	r->pub.acked = r->seq;
	r->pub.err = err;
	pthread_mutex_unlock(&r->agent->lock);
	io_event_fire(r->agent->acked_fd);
}

/*
 * Waits for an order, or until a time has passed; true when there is an order. The port is
 * waited for, too: see relay_reclaim_port().
 */
static bool relay_wait_order(struct relay *r, int timeout_ms)
{
	struct pollfd wake = { .fd = r->wake_fd, .events = POLLIN };
	struct epoll_event event;

	relay_publish(r);
	if (r->watch_fd >= 0)
		wake.revents = epoll_wait(r->watch_fd, &event, 1, timeout_ms) > 0 &&
			       event.data.fd == r->wake_fd;
	else
		poll(&wake, 1, timeout_ms);
	if (wake.revents)
		io_event_clear(r->wake_fd);
	return relay_order_is_new(r);
}

/*
 * Returns when the ring may have full sub-buffers, a partly filled one is due, or an
 * order has come. With buffer_percent 0 the ring calls itself readable at every
 * event: as long as that yields nothing full it is left alone, longer and longer.
 */
static void relay_wait_ring(struct relay *r)
{
	struct pollfd fds[] = {
		{ .fd = r->wake_fd, .events = POLLIN },
		{ .fd = r->pump.ring, .events = POLLIN },
	};
	u64 now = io_now_ms(), wait = r->due_ms > now ? r->due_ms - now : 0;
	int n;

	relay_publish(r);
	if (r->nap_ms && r->nap_ms < wait)
		wait = r->nap_ms;
	n = poll(fds, r->nap_ms ? 1 : 2, wait);
	/* POLLERR: the CPU was never there, its ring will not wake anybody. */
	if (n > 0 && fds[1].revents & POLLERR)
		n = poll(fds, 1, wait);
	if (n > 0 && fds[0].revents & POLLIN)
		io_event_clear(r->wake_fd);
	r->pump.ledger.wakeups++;
}

/*
 * How long to wait for a port that takes no more: not at all when a new order came,
 * and up to a fixed moment when the agent ends. With -o a sub-buffer that was
 * begun is finished whatever the order.
 */
static int relay_patience_ms(struct relay *r)
{
	struct agent *a = r->agent;
	u64 now = io_now_ms(), left = RELAY_RETRY_MS;

	pthread_mutex_lock(&a->lock);
	if (a->quit)
		left = a->quit_ms > now ? a->quit_ms - now : 0;
	else if (!a->opt.use_stdout && relay_order_is_new(r))
		left = 0;
	pthread_mutex_unlock(&a->lock);
	return left;
}

/*
 * Returns when the port may take more, or an order has come. The time limit is for
 * what wakes nobody: memory the kernel could not get.
 */
static void relay_wait_port(struct relay *r, int timeout_ms)
{
	enum relay_state state = r->state;
	struct epoll_event event;
	int n;

	r->state = RELAY_STALLED;
	r->pump.ledger.stalls++;
	relay_publish(r);
	n = epoll_wait(r->watch_fd, &event, 1, timeout_ms);
	if (n > 0 && event.data.fd == r->wake_fd)
		io_event_clear(r->wake_fd);
	r->pump.ledger.wakeups++;
	r->state = state;
}

/*
 * Ships what is on its way. With -o the relays share one output, and a sub-buffer
 * must not be torn: the lock is held until nothing is on its way.
 *
 * Return: 0, -EAGAIN when an order came while the port was full, another -errno
 * when the port is gone.
 */
static int relay_send(struct relay *r)
{
	bool shared = r->agent->opt.use_stdout;
	int ret, patience;

	if (!pump_busy(&r->pump))
		return 0;
	if (shared)
		pthread_mutex_lock(&r->agent->stdout_lock);
	while ((ret = pump_send(&r->pump)) == -EAGAIN) {
		patience = relay_patience_ms(r);
		if (!patience)
			break;
		relay_wait_port(r, patience);
	}
	if (shared)
		pthread_mutex_unlock(&r->agent->stdout_lock);
	r->port_lost = ret && ret != -EAGAIN;
	return ret;
}

/*
 * Ships full sub-buffers until there are none, an order comes, or @limit bytes
 * were shipped. Nothing is left on its way when 0 is returned.
 */
static int relay_ship_full(struct relay *r, u64 limit)
{
	u64 shipped = 0;
	ssize_t n;
	int ret;

	ret = relay_send(r);
	while (!ret && shipped < limit && !relay_order_is_new(r)) {
		n = pump_take(&r->pump);
		if (n < 0)
			return n == -EAGAIN ? 0 : n;
		shipped += n;
		ret = relay_send(r);
	}
	return ret;
}

static int relay_ship_partial(struct relay *r)
{
	ssize_t n;

	n = pump_take_partial(&r->pump);
	if (n < 0)
		return n == -EAGAIN ? 0 : n;
	return relay_send(r);
}

/* The size can change only between two looks at it; then the stream would be unreadable. */
static int relay_check_subbuf(struct relay *r)
{
	return tracefs_subbuf_size(r->dir) == r->pump.subbuf_size ? 0 : -ESTALE;
}

static int relay_flow_once(struct relay *r)
{
	u64 before = r->pump.ledger.ring_bytes;
	int ret;

	ret = relay_ship_full(r, U64_MAX);
	if (ret || relay_order_is_new(r))
		return ret;
	if (io_now_ms() < r->due_ms) {
		r->nap_ms = r->pump.ledger.ring_bytes != before ? 0 : r->nap_ms ? 2 * r->nap_ms : 1;
		return 0;
	}
	relay_reclaim_port(r);
	ret = relay_check_subbuf(r);
	if (!ret)
		ret = relay_ship_partial(r);
	r->due_ms = io_now_ms() + r->agent->opt.latency_ms;
	r->nap_ms = 0;
	return ret;
}

/* Ships until another order comes or it can't go on. */
static int relay_flow(struct relay *r)
{
	int ret;

	r->state = RELAY_RUNNING;
	r->due_ms = 0;
	r->nap_ms = 0;
	do {
		if (sched_getcpu() != (int)r->cpu)
			relay_pin(r);
		ret = relay_flow_once(r);
		if (ret && ret != -EAGAIN)
			return ret;
		if (!relay_order_is_new(r))
			relay_wait_ring(r);
	} while (!relay_order_is_new(r));
	return 0;
}

/*
 * Ships what was recorded before the stop.
 *
 * Return: 0 when it is shipped, -EAGAIN when a newer order stands for this one,
 * another -errno when it can't be.
 */
static int relay_drain(struct relay *r)
{
	ssize_t limit;
	int ret;

	r->state = RELAY_DRAINING;
	limit = tracefs_ring_bytes(r->dir, r->cpu);
	if (limit < 0)
		return limit;
	/* That counts data only: headers take up to 1/64 more, and there is the reader's page. */
	limit += limit / 64 + 2 * r->pump.subbuf_size;
	ret = relay_check_subbuf(r);
	if (!ret)
		ret = relay_ship_full(r, limit);
	if (!ret && !relay_order_is_new(r))
		ret = relay_ship_partial(r);
	return !ret && relay_order_is_new(r) ? -EAGAIN : ret;
}

/* Silent until the next order: nothing but an order can help. */
static void relay_halt(struct relay *r, int err)
{
	if (err == -ESTALE)
		msg_err(0, "cpu%u: ship to %s: the sub-buffer size is no longer %u: silent until the next start order",
			r->cpu, r->port_name, r->pump.subbuf_size);
	pump_abandon(&r->pump, LOSS_RESIZE);
	pump_close(&r->pump);
	r->state = RELAY_DOWN;
	relay_ack(r, err);
	while (!relay_wait_order(r, -1))
		;
}

/*
 * The port is gone: look for it until it is back or an order comes. A broken one is still
 * there and opens, but works no more until its device goes and comes: it is kept open, so
 * that this is noticed.
 */
static void relay_miss_port(struct relay *r, int err)
{
	msg_err(err, "cpu%u: ship to %s", r->cpu, r->port_name);
	pump_abandon(&r->pump, LOSS_DEVICE);
	pump_close(&r->pump);
	if (err != -EIO)
		relay_close_port(r);
	r->state = RELAY_DOWN;
	relay_ack(r, err);
	if (r->agent->opt.use_stdout)
		kill(getpid(), SIGTERM);	/* nobody reads: end as any filter does */
	while (!relay_wait_order(r, RELAY_RETRY_MS)) {
		if (r->agent->opt.use_stdout || relay_keeps_port(r) || relay_open_port(r))
			continue;
		msg_info("cpu%u: %s is back", r->cpu, r->port_name);
		return;
	}
}

static void relay_run(struct relay *r)
{
	int ret;

	r->port_lost = true;
	ret = relay_open_port(r);
	if (!ret) {
		r->port_lost = false;
		ret = relay_open_ring(r);
	}
	if (!ret) {
		relay_ack(r, 0);
		ret = relay_flow(r);
	}
	if (ret && r->port_lost)
		relay_miss_port(r, ret);
	else if (ret)
		relay_halt(r, ret);
}

/*
 * Ends the shipping, if there was any, or if a start was overtaken by this stop; not
 * when a newer order has come.
 */
static void relay_stop(struct relay *r, bool overtook, bool quit)
{
	int ret = 0;

	if (overtook)
		ret = relay_open_port(r) ? -ENODEV : relay_open_ring(r);
	if (r->pump.ring >= 0) {
		ret = relay_drain(r);
		if (ret == -EAGAIN && !quit)
			return;
		if (ret && ret != -EAGAIN)
			msg_err(ret, "cpu%u: ship the rest to %s", r->cpu, r->port_name);
		pump_abandon(&r->pump, LOSS_DEVICE);
		pump_close(&r->pump);
	}
	r->state = RELAY_IDLE;
	relay_ack(r, ret);
}

/* Opens what is needed once, so that a fault is known before the first order. */
static int relay_prepare(struct relay *r)
{
	int ret;

	ret = pump_init(&r->pump, r->agent->opt.pipe_size);
	if (ret)
		return msg_err(ret, "cpu%u: make a pipe of %llu bytes", r->cpu,
			       r->agent->opt.pipe_size);
	ret = relay_open_port(r);
	if (ret)
		return msg_err(ret, "cpu%u: open %s", r->cpu, r->port_name);
	ret = relay_open_ring(r);
	pump_close(&r->pump);
	return ret;
}

static void *relay_main(void *arg)
{
	struct relay *r = arg;
	struct order o;
	bool overtook;

	relay_pin(r);
	relay_ack(r, relay_prepare(r));
	do {
		o = relay_order(r);
		if (o.seq == r->seq && !o.run) {
			relay_wait_order(r, -1);
			continue;
		}
		overtook = o.start_seq > r->seq && !o.run;
		r->seq = o.seq;
		if (o.run && !o.quit)
			relay_run(r);
		else
			relay_stop(r, overtook, o.quit);
	} while (!o.quit);

	relay_close_port(r);
	pump_exit(&r->pump);
	relay_publish(r);
	return NULL;
}

int relay_start(struct relay *r, struct agent *agent, unsigned int cpu)
{
	pthread_attr_t attr;
	int ret;

	r->agent = agent;
	r->cpu = cpu;
	r->port.fd = -1;
	r->watch_fd = -1;
	r->pump.ring = -1;
	r->pump.pipe[0] = -1;
	r->pump.pipe[1] = -1;
	if (agent->opt.use_stdout)
		snprintf(r->port_name, sizeof(r->port_name), "stdout");
	else
		snprintf(r->port_name, sizeof(r->port_name), PORT_CPU_FMT, cpu);
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake_fd < 0)
		return -errno;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, RELAY_STACK_SIZE);
	ret = pthread_create(&r->thread, &attr, relay_main, r);
	pthread_attr_destroy(&attr);
	if (ret)
		close(r->wake_fd);
	return -ret;
}

void relay_join(struct relay *r)
{
	pthread_join(r->thread, NULL);
	close(r->wake_fd);
}
