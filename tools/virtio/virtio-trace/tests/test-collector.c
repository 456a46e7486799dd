// SPDX-License-Identifier: GPL-2.0-only
/* Does every byte of every FIFO reach the file, and is every event of it counted? */
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "../host/collector.h"
#include "../host/guest.h"
#include "../host/source.h"
#include "../host/tracedat-local.h"
#include "peer.h"

static bool no_splice;	/* as on a file system that does not know it */

ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t len, unsigned int flags)
{
	if (no_splice) {
		errno = EINVAL;
		return -1;
	}
	return syscall(SYS_splice, in, in_at, out, out_at, len, flags);
}

/**
 * struct rig - FIFOs, a collector, and a trace.dat
 * @peer: the guest
 * @guest: the guest as the host sees it
 * @collector: its collector
 * @src: where the metadata comes from
 * @dat: the file
 * @path: its path
 */
struct rig {
	struct peer peer;
	struct guest guest;
	struct collector collector;
	struct source *src;
	struct tracedat *dat;
	char path[96];
};

static void rig_init(struct rig *rig, bool dat)
{
	struct tracedat_info info = {
		.layout = { .size = PEER_SUBBUF, .commit_offset = 8, .commit_size = 8,
			    .data_offset = 16 },
		.long_size = 8, .cpus = PEER_CPUS, .tracing = "tracing", .trace_id = 1,
	};

	*rig = (struct rig){ .src = NULL };
	peer_init(&rig->peer);
	snprintf(rig->path, sizeof(rig->path), "%s/trace.dat", rig->peer.dir);
	is(guest_open(NULL, rig->peer.guest, &rig->guest), 0, "the guest is there");
	is(collector_open(&rig->collector, &rig->guest), 0, "its FIFOs are opened");
	if (!dat)
		return;
	is(source_open_dir(rig->peer.dir, NULL, &rig->src), 0, "the tree is there");
	is(tracedat_create(rig->path, &info, rig->src, &rig->dat), 0, "the file is made");
	is(tracedat_publish(rig->dat), 0, "and named");
	is(collector_to_tracedat(&rig->collector, rig->dat, &info), 0, "and filled");
}

static void rig_exit(struct rig *rig)
{
	is(tracedat_close(rig->dat, NULL), 0, "the file is closed");
	collector_close(&rig->collector);
	source_close_dir(rig->src);
	guest_close(&rig->guest);
	peer_exit(&rig->peer);
}

static void put(int fd, const void *data, size_t len)
{
	if (write(fd, data, len) != (ssize_t)len)
		abort();
}

/* Sub-buffers in pieces of all sizes, so that they straddle in every way. */
static void test_straddling(void)
{
	static u8 stream[20 * PEER_SUBBUF], stored[sizeof(stream)];
	size_t pos, piece = 1;
	struct rig rig;
	int i;

	rig_init(&rig, true);
	for (i = 0; i < 20; i++)
		peer_subbuf(stream + i * PEER_SUBBUF, 1000 * i);
	for (pos = 0; pos < sizeof(stream); pos += piece, piece = piece * 2 + 3) {
		if (piece > sizeof(stream) - pos)
			piece = sizeof(stream) - pos;
		put(rig.peer.fifo[1], stream + pos, piece);
		ok(collector_run(&rig.collector), "a piece of %zu bytes is carried", piece);
	}
	ok(!collector_run(&rig.collector), "then nothing comes");
	collector_count(&rig.collector);
	is(rig.collector.cpus[1].stored, sizeof(stream), "all is stored");
	ok(!tracedat_read(rig.dat, 1, 0, stored, sizeof(stored)) &&
	   !memcmp(stored, stream, sizeof(stream)), "as it came");
	is(rig.collector.cpus[1].events, 20 * PEER_SUBBUF_EVENTS, "and counted");
	is(rig.collector.cpus[0].stored, 0, "for its CPU only");
	is(rig.collector.cpus[1].damaged, 0, "nothing is damaged");
	rig_exit(&rig);
}

static void test_cut_and_damaged(void)
{
	u8 subbuf[PEER_SUBBUF];
	struct rig rig;

	rig_init(&rig, true);
	peer_subbuf(subbuf, 1);
	put(rig.peer.fifo[0], subbuf, 16 + 20 * 3 + 7);
	memset(subbuf + 8, 0xff, 3);
	put(rig.peer.fifo[1], subbuf, PEER_SUBBUF);
	while (collector_run(&rig.collector))
		;
	collector_count(&rig.collector);
	is(rig.collector.cpus[1].damaged, 1, "a commit field that lies is noticed");
	is(rig.collector.cpus[0].events, 0, "a sub-buffer not whole is not counted");
	collector_count_rest(&rig.collector);
	is(rig.collector.cpus[0].events, 3, "until nothing more comes");
	rig_exit(&rig);
}

static void test_quota_and_fault(void)
{
	u8 subbuf[PEER_SUBBUF];
	struct rig rig;
	int i;

	rig_init(&rig, true);
	rig.collector.quota = 2 * PEER_SUBBUF + 100;
	peer_subbuf(subbuf, 1);
	for (i = 0; i < 3; i++)
		put(rig.peer.fifo[0], subbuf, PEER_SUBBUF);
	while (collector_run(&rig.collector))
		;
	ok(rig.collector.full, "the quota is noticed");
	is(rig.collector.cpus[0].stored, 2 * PEER_SUBBUF + 100, "and used up");
	is(rig.collector.cpus[0].discarded, PEER_SUBBUF - 100, "what is above it is counted");
	rig.collector.full = false;
	rig.collector.quota = 0;
	rig.collector.fault = -ENOSPC;
	put(rig.peer.fifo[1], subbuf, PEER_SUBBUF);
	ok(collector_run(&rig.collector), "data is carried away after a fault");
	is(rig.collector.cpus[1].discarded, PEER_SUBBUF, "and counted");
	rig_exit(&rig);
}

static void *put_later(void *arg)
{
	const int *fd = arg;
	static const u8 zeros[1000];

	poll(NULL, 0, 100);
	put(*fd, zeros, sizeof(zeros));
	return NULL;
}

static void test_settle(void)
{
	u64 want[PEER_CPUS] = { 0, 1000 };
	pthread_t thread;
	struct rig rig;

	rig_init(&rig, false);
	if (pthread_create(&thread, NULL, put_later, &rig.peer.fifo[1]))
		abort();
	ok(collector_settle(&rig.collector, want, 5000), "what is wanted is waited for");
	pthread_join(thread, NULL);
	is(rig.collector.cpus[1].discarded, 1000, "without a file it is discarded");
	want[0] = 1;
	ok(!collector_settle(&rig.collector, want, 50), "what does not come is given up");
	ok(!collector_settle(&rig.collector, NULL, 50), "so is what nobody knows");
	peer_power_off(&rig.peer);
	ok(!collector_settle(&rig.collector, want, 5000), "closed FIFOs are not waited for");
	is(rig.collector.open, 0, "they are noticed");
	memset(rig.peer.fifo, 0xff, sizeof(rig.peer.fifo));
	rig.peer.ctl_fd = -1;
	rig_exit(&rig);
}

static void test_raw(void)
{
	char dir[96], path[128];
	struct stat st;
	struct rig rig;

	rig_init(&rig, false);
	snprintf(dir, sizeof(dir), "%s/raw", rig.peer.dir);
	is(collector_to_raw(&rig.collector, dir), 0, "raw files are made");
	put(rig.peer.fifo[1], dir, 50);
	ok(collector_run(&rig.collector), "and filled");
	snprintf(path, sizeof(path), "%s/cpu1.raw", dir);
	ok(!stat(path, &st) && st.st_size == 50, "as they come");
	no_splice = true;
	put(rig.peer.fifo[1], dir, 20);
	ok(collector_run(&rig.collector), "where nothing can be spliced to, too");
	ok(!stat(path, &st) && st.st_size == 70, "behind what is there");
	no_splice = false;
	is(collector_to_raw(&rig.collector, "/nonexistent/raw"), -ENOENT,
	   "a directory that can't be made is told");
	rig_exit(&rig);
}

/* A full disk: of what was read already, nothing may go uncounted. */
static void test_copy_fails(void)
{
	struct rlimit limit = { .rlim_max = RLIM_INFINITY };
	u8 subbuf[PEER_SUBBUF];
	struct rig rig;

	no_splice = true;
	signal(SIGXFSZ, SIG_IGN);
	rig_init(&rig, true);
	peer_subbuf(subbuf, 1);
	put(rig.peer.fifo[0], subbuf, PEER_SUBBUF);
	while (collector_run(&rig.collector))
		;
	put(rig.peer.fifo[0], subbuf, PEER_SUBBUF);
	limit.rlim_cur = rig.dat->cpu[0].offset + PEER_SUBBUF + 1000;
	setrlimit(RLIMIT_FSIZE, &limit);
	while (collector_run(&rig.collector))
		;
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	is(rig.collector.fault, -EFBIG, "what can't be written is a fault");
	is(rig.collector.cpus[0].stored, PEER_SUBBUF + 1000, "what could be written is stored");
	is(rig.collector.cpus[0].discarded, PEER_SUBBUF - 1000, "and the rest is counted");
	rig_exit(&rig);
	no_splice = false;
}

int main(void)
{
	test_straddling();
	test_cut_and_damaged();
	test_quota_and_fault();
	no_splice = true;
	test_straddling();
	test_quota_and_fault();
	no_splice = false;
	test_copy_fails();
	test_settle();
	test_raw();
	return done();
}
