// SPDX-License-Identifier: GPL-2.0-only
/*
 * What does a relay do about a port that is gone or broken?
 *
 * The port is a socket: port.c is not linked, and splice() and read() of the relay are
 * replaced here. A regular file stands for the ring.
 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../port.h"
#include "../relay.h"

#define RING_BYTES (40 * 4096)
#define WAIT_MS 5000

/**
 * struct fake_port - the port behind the name
 * @fd: the relay's end of the open one
 * @far: the host's end
 * @err: what splice() to it fails with; 0: it works
 * @unplugged: the open one's device is gone
 * @missing: there is no such port now
 * @opens: how often it was opened
 */
static struct fake_port {
	int fd, far;
	atomic_int err, unplugged, missing, opens;
} fake = { .fd = -1, .far = -1 };

int port_open(const char *name, struct port *port)
{
	int ends[2];

	(void)name;
	if (fake.missing)
		return -ENODEV;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends))
		abort();
	fake.unplugged = 0;
	fake.fd = ends[0];
	fake.far = ends[1];
	*port = (struct port){ .fd = ends[0], .indirect = true };
	fake.opens++;
	return 0;
}

void port_close(struct port *port)
{
	if (port->fd >= 0) {
		close(port->fd);
		close(fake.far);
	}
	port->fd = -1;
}

bool port_exists(const char *name)
{
	(void)name;
	return !fake.missing;
}

int port_watch(int port_fd, int wake_fd)
{
	struct epoll_event port = { .events = EPOLLOUT | EPOLLET, .data.fd = port_fd };
	struct epoll_event wake = { .events = EPOLLIN, .data.fd = wake_fd };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (epoll_ctl(fd, EPOLL_CTL_ADD, port_fd, &port) ||
	    epoll_ctl(fd, EPOLL_CTL_ADD, wake_fd, &wake))
		abort();
	return fd;
}

ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t len, unsigned int flags)
{
	if (out == fake.fd && fake.err) {
		errno = fake.err;
		return -1;
	}
	return syscall(SYS_splice, in, in_at, out, out_at, len, flags);
}

ssize_t read(int fd, void *buf, size_t len)
{
	if (fd == fake.fd && fake.unplugged) {
		errno = ENODEV;
		return -1;
	}
	return syscall(SYS_read, fd, buf, len);
}

/**
 * struct rig - a relay of CPU 0, in an agent with nothing else
 * @agent: the agent
 * @relay: the relay
 * @err: its standard error, a file
 */
struct rig {
	struct agent agent;
	struct relay relay;
	char err[PATH_MAX + 8];
};

static void rig_put(const struct rig *rig, const char *name, const char *text, size_t len)
{
	char path[PATH_MAX + 64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", rig->agent.tracing, name);
	f = fopen(path, "w");
	if (!f || fwrite(text, 1, len, f) != len || fclose(f))
		abort();
}

static void rig_mkdir(const struct rig *rig, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", rig->agent.tracing, name);
	if (mkdir(path, 0700))
		abort();
}

static void rig_open(struct rig *rig)
{
	static const char header[] = "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
	static char ring[RING_BYTES];

	memset(rig, 0, sizeof(*rig));
	fake = (struct fake_port){ .fd = -1, .far = -1 };
	snprintf(rig->agent.tracing, sizeof(rig->agent.tracing), "/tmp/test-relay.XXXXXX");
	if (!mkdtemp(rig->agent.tracing))
		abort();
	rig_mkdir(rig, "events");
	rig_mkdir(rig, "per_cpu");
	rig_mkdir(rig, "per_cpu/cpu0");
	rig_put(rig, "events/header_page", header, sizeof(header) - 1);
	rig_put(rig, "per_cpu/cpu0/buffer_size_kb", "1408\n", 5);
	rig_put(rig, "per_cpu/cpu0/trace_pipe_raw", ring, sizeof(ring));
	snprintf(rig->err, sizeof(rig->err), "%s/err", rig->agent.tracing);
	if (!freopen(rig->err, "w", stderr))
		abort();
	rig->agent.opt = (struct agent_options){ .pipe_size = 65536, .latency_ms = 1000 };
	rig->agent.acked_fd = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&rig->agent.lock, NULL);
	rig->agent.relays = &rig->relay;
	rig->agent.nr_relays = 1;
	if (relay_start(&rig->relay, &rig->agent, 0))
		abort();
}

static void rig_close(struct rig *rig)
{
	char command[PATH_MAX + 16];

	pthread_mutex_lock(&rig->agent.lock);
	rig->agent.quit = true;
	atomic_fetch_add(&rig->agent.seq, 1);
	pthread_mutex_unlock(&rig->agent.lock);
	eventfd_write(rig->relay.wake_fd, 1);
	relay_join(&rig->relay);
	close(rig->agent.acked_fd);
	snprintf(command, sizeof(command), "rm -r %s", rig->agent.tracing);
	if (system(command))
		abort();
}

/* How many lines of standard error hold a text. */
static int rig_said(const struct rig *rig, const char *text)
{
	FILE *f = fopen(rig->err, "r");
	char line[512];
	int n = 0;

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, text);
	if (f)
		fclose(f);
	return n;
}

static bool rig_wait_said(const struct rig *rig, const char *text)
{
	int waited;

	for (waited = 0; waited < WAIT_MS; waited += 20) {
		if (rig_said(rig, text))
			return true;
		poll(NULL, 0, 20);
	}
	return false;
}

static enum relay_state rig_state(struct rig *rig)
{
	enum relay_state state;

	pthread_mutex_lock(&rig->agent.lock);
	state = rig->relay.pub.state;
	pthread_mutex_unlock(&rig->agent.lock);
	return state;
}

/* An unplugged port does not wait to be found again; a broken one waits to be unplugged. */
static void test_unplugged(void)
{
	struct rig rig;

	rig_open(&rig);
	fake.err = ENODEV;
	agent_order(&rig.agent, true);
	ok(rig_wait_said(&rig, "cpu0: ship to trace-path-cpu0: No such device"),
	   "a port that is unplugged is told");
	fake.err = 0;
	ok(rig_wait_said(&rig, "trace-path-cpu0 is back"), "and taken up when it is back");
	rig_close(&rig);
}

static void test_broken(void)
{
	int opens;
	struct rig rig;

	rig_open(&rig);
	fake.err = EIO;
	agent_order(&rig.agent, true);
	ok(rig_wait_said(&rig, "cpu0: ship to trace-path-cpu0: Input/output error"),
	   "a broken port is told");
	opens = fake.opens;
	poll(NULL, 0, 2500);
	is(rig_said(&rig, ""), 1, "once");
	is(fake.opens, opens, "it is not opened again and again");
	is(rig_state(&rig), RELAY_DOWN, "the relay is down");
	fake.missing = 1;
	fake.unplugged = 1;
	poll(NULL, 0, 1500);
	is(rig_said(&rig, "is back"), 0, "its device goes");
	fake.err = 0;
	fake.missing = 0;
	ok(rig_wait_said(&rig, "trace-path-cpu0 is back"), "and when it comes the port is back");
	rig_close(&rig);
}

/* The user may try, and is told each time. */
static void test_broken_ordered(void)
{
	struct rig rig;
	u64 seq;

	rig_open(&rig);
	fake.err = EIO;
	agent_order(&rig.agent, true);
	rig_wait_said(&rig, "Input/output error");
	seq = agent_order(&rig.agent, true);
	poll(NULL, 0, 500);
	is(agent_settled(&rig.agent, seq), -EIO, "an order to ship to a broken port fails");
	is(rig_said(&rig, "Input/output error"), 2, "which is told again");
	fake.err = 0;
	seq = agent_order(&rig.agent, true);
	poll(NULL, 0, 500);
	is(agent_settled(&rig.agent, seq), 0, "one that works again is used");
	rig_close(&rig);
}

int main(void)
{
	test_unplugged();
	test_broken();
	test_broken_ordered();
	return done();
}
