/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest without a machine: its directory on the host, a tracing tree, an agent's 9P server. */
#ifndef VIRTIO_TRACE_PEER_H
#define VIRTIO_TRACE_PEER_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../fs.h"
#include "../host/setup.h"
#include "tap.h"

#define PEER_CPUS 2
#define PEER_SUBBUF 4096u
#define PEER_SUBBUF_EVENTS 204u		/* 20 bytes each */

/**
 * struct peer - the guest
 * @dir: temporary directory with everything in it
 * @tracing: its tracing tree
 * @guest: its directory on the host
 * @fifo: the write ends of the data FIFOs, as QEMU holds them
 * @ctl_fd: agent-ctl-path.in, as QEMU holds it
 * @listen_fd: agent-fs-path.sock
 * @port_fd: the connection served
 * @stop_fd: ends the server
 * @thread: of the server
 * @cfg: what is served
 * @subbufs: how many each CPU sends when it is started
 * @unsent: bytes each CPU claims to have sent besides
 * @held: events that each CPU's ring holds
 * @ports: CPUs that have one
 * @refuse: errno of the order to start
 * @order: the order in force
 * @orders: how many came
 * @sent: bytes each CPU has sent
 */
struct peer {
	char dir[64];
	char tracing[80];
	char guest[80];
	int fifo[PEER_CPUS];
	int ctl_fd;
	int listen_fd;
	int port_fd;
	int stop_fd;
	pthread_t thread;
	struct fs_config cfg;
	u32 subbufs;
	u64 unsent;
	u64 held;
	u32 ports;
	int refuse;
	atomic_int order;
	atomic_int orders;
	atomic_ullong sent;
};

static inline void peer_put(const struct peer *peer, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", peer->tracing, name);
	f = fopen(path, "w");
	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
}

/* The first bytes of a file of the tree. */
static inline const char *peer_get(const struct peer *peer, const char *name)
{
	static char text[256];
	char path[256];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", peer->tracing, name);
	f = fopen(path, "r");
	if (!f)
		return "(none)";
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	fclose(f);
	return text;
}

static inline void peer_mkdir(const struct peer *peer, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", peer->tracing, name);
	if (mkdir(path, 0755))
		abort();
}

static inline void peer_fill_cpu(const struct peer *peer, const char *cpu)
{
	char name[64];

	snprintf(name, sizeof(name), "per_cpu/%s", cpu);
	peer_mkdir(peer, name);
	snprintf(name, sizeof(name), "per_cpu/%s/stats", cpu);
	peer_put(peer, name, "entries: 0\noverrun: 0\ncommit overrun: 0\nread events: 0\n");
	snprintf(name, sizeof(name), "per_cpu/%s/buffer_size_kb", cpu);
	peer_put(peer, name, "7 (expanded: 1408)\n");
}

static inline void peer_fill(const struct peer *peer)
{
	static const char * const dirs[] = {
		"", "per_cpu", "instances", "events", "events/ftrace", "events/ftrace/print",
		"events/sched", "events/sched/sched_switch", "events/sched/sched_wakeup",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dirs); i++)
		peer_mkdir(peer, dirs[i]);
	peer_fill_cpu(peer, "cpu0");
	peer_fill_cpu(peer, "cpu1");
	peer_put(peer, "tracing_on", "1\n");
	peer_put(peer, "trace_clock", "[local] global mono\n");
	peer_put(peer, "current_tracer", "nop\n");
	peer_put(peer, "buffer_size_kb", "7 (expanded: 1408)\n");
	peer_put(peer, "set_event", "");
	peer_put(peer, "saved_cmdlines", "1 init\n");
	peer_put(peer, "printk_formats", "");
	peer_put(peer, "kallsyms", "ffffffff81000000 T _text\n");
	peer_put(peer, "events/header_page",
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
	peer_put(peer, "events/header_event", "# compressed entry header\n");
	peer_put(peer, "events/ftrace/print/format", "name: print\nID: 5\n");
	peer_put(peer, "events/sched/enable", "0\n");
	peer_put(peer, "events/sched/sched_switch/format", "name: sched_switch\nID: 315\n");
	peer_put(peer, "events/sched/sched_switch/filter", "none\n");
	peer_put(peer, "events/sched/sched_wakeup/format", "name: sched_wakeup\nID: 316\n");
	peer_put(peer, "events/sched/sched_wakeup/filter", "none\n");
}

/* A full sub-buffer of a little-endian 64-bit guest. */
static inline void peer_subbuf(u8 *subbuf, u64 ts)
{
	const u64 commit = PEER_SUBBUF_EVENTS * 20;
	const u32 header = 4 | 100 << 5;	/* 16 bytes of payload, 100 ns after the last */
	u32 i;

	memset(subbuf, 0, PEER_SUBBUF);
	memcpy(subbuf, &ts, 8);
	memcpy(subbuf + 8, &commit, 8);
	for (i = 0; i < PEER_SUBBUF_EVENTS; i++)
		memcpy(subbuf + 16 + 20 * i, &header, 4);
}

static inline void peer_send(struct peer *peer)
{
	u8 subbuf[PEER_SUBBUF];
	u32 i, cpu;

	for (i = 0; i < peer->subbufs; i++) {
		peer_subbuf(subbuf, 1000000ULL * (i + 1));
		for (cpu = 0; cpu < PEER_CPUS; cpu++)
			if (write(peer->fifo[cpu], subbuf, PEER_SUBBUF) != PEER_SUBBUF)
				abort();
		atomic_fetch_add(&peer->sent, PEER_SUBBUF);
	}
}

static inline int peer_show_ctl(void *ctx, FILE *out)
{
	struct peer *peer = ctx;

	fprintf(out, "%d\n", atomic_load(&peer->order));
	return 0;
}

static inline int peer_store_ctl(void *ctx, const char *data, size_t len, u64 *ticket)
{
	struct peer *peer = ctx;

	*ticket = 0;
	if (!len || (*data != '0' && *data != '1'))
		return -EINVAL;
	if (*data == '1' && peer->refuse)
		return -peer->refuse;
	atomic_fetch_add(&peer->orders, 1);
	if (atomic_exchange(&peer->order, *data - '0') == 0 && *data == '1')
		peer_send(peer);
	return 0;
}

static inline int peer_show_stats(void *ctx, FILE *out)
{
	struct peer *peer = ctx;
	u64 sent = atomic_load(&peer->sent);
	u32 cpu;

	if (sent)
		sent += peer->unsent;
	fprintf(out, "agent order=%d seq=%d instance=\n", atomic_load(&peer->order),
		atomic_load(&peer->orders));
	for (cpu = 0; cpu < peer->ports; cpu++)
		fprintf(out, "cpu%u state=idle novelty=1 port_bytes=%llu entries=%llu read=%llu\n",
			cpu, sent, peer->held, sent / PEER_SUBBUF * PEER_SUBBUF_EVENTS);
	return 0;
}

static inline int peer_show_machine(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("sysname=Linux\nnodename=peer\nrelease=6.12\nversion=#1 SMP\nmachine=x86_64\n"
	      "page_size=4096\nsubbuf_size=4096\nlong_size=8\nendian=little\n"
	      "cpus_possible=0-1\ncpus_online=0-1\n", out);
	return 0;
}

static inline int peer_show_instance(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("\n", out);
	return 0;
}

static const struct fs_file peer_files[] = {
	{ .name = "ctl", .show = peer_show_ctl, .store = peer_store_ctl },
	{ .name = "stats", .show = peer_show_stats },
	{ .name = "machine", .show = peer_show_machine },
	{ .name = "instance", .show = peer_show_instance },
	{ .name = NULL },
};

static inline void *peer_serve(void *arg)
{
	struct peer *peer = arg;
	struct pollfd fds[] = {
		{ .fd = peer->listen_fd, .events = POLLIN },
		{ .fd = peer->stop_fd, .events = POLLIN },
	};

	poll(fds, ARRAY_SIZE(fds), -1);
	if (fds[1].revents)
		return NULL;
	peer->port_fd = accept4(peer->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	peer->cfg.port_fd = peer->port_fd;
	fs_serve(&peer->cfg);
	return NULL;
}

static inline int peer_open(const struct peer *peer, const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", peer->guest, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		abort();
	return fd;
}

/* Directory, FIFOs and tree; nobody is behind them yet. */
static inline void peer_init(struct peer *peer)
{
	struct setup setup = { .cpus = PEER_CPUS, .uid = -1, .gid = -1 };

	*peer = (struct peer){ .port_fd = -1, .listen_fd = -1, .subbufs = 100,
			       .ports = PEER_CPUS };
	snprintf(peer->dir, sizeof(peer->dir), "/tmp/peer-XXXXXX");
	if (!mkdtemp(peer->dir))
		abort();
	snprintf(peer->tracing, sizeof(peer->tracing), "%s/tracing", peer->dir);
	snprintf(peer->guest, sizeof(peer->guest), "%s/guest", peer->dir);
	peer_fill(peer);
	setup.dir = peer->guest;
	if (setup_make(&setup))
		abort();
	peer->ctl_fd = peer_open(peer, "agent-ctl-path.in");
	peer->fifo[0] = peer_open(peer, "trace-path-cpu0.out");
	peer->fifo[1] = peer_open(peer, "trace-path-cpu1.out");
	peer->stop_fd = eventfd(0, EFD_CLOEXEC);
}

static inline void peer_listen(struct peer *peer)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/agent-fs-path.sock", peer->guest);
	peer->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(peer->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(peer->listen_fd, 1))
		abort();
}

/* An agent that serves the first one who connects. */
static inline void peer_start(struct peer *peer)
{
	static char kallsyms[128];

	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", peer->tracing);
	peer->cfg = (struct fs_config){
		.port_fd = -1, .stop_fd = peer->stop_fd, .wake_fd = eventfd(0, EFD_CLOEXEC),
		.tracing = peer->tracing, .kallsyms = kallsyms, .files = peer_files,
		.ctx = peer,
	};
	peer_listen(peer);
	if (pthread_create(&peer->thread, NULL, peer_serve, peer))
		abort();
}

/* The agent dies; QEMU, with the socket and the FIFOs, lives on. */
static inline void peer_stop(struct peer *peer)
{
	u64 one = 1;

	if (write(peer->stop_fd, &one, sizeof(one)) != sizeof(one))
		abort();
	pthread_join(peer->thread, NULL);
	close(peer->cfg.wake_fd);
}

static inline int peer_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* QEMU ends. */
static inline void peer_power_off(struct peer *peer)
{
	close(peer->fifo[0]);
	close(peer->fifo[1]);
	close(peer->ctl_fd);
	if (peer->port_fd >= 0)
		close(peer->port_fd);
	if (peer->listen_fd >= 0)
		close(peer->listen_fd);
}

static inline void peer_exit(struct peer *peer)
{
	peer_power_off(peer);
	close(peer->stop_fd);
	nftw(peer->dir, peer_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
