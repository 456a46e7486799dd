// SPDX-License-Identifier: GPL-2.0-only
/* Does record change the sizes of ring and sub-buffers where it may, and put them back? */
#include <signal.h>

#include "record-run.h"

#define ORIGINAL "4\nas it was\n"	/* longer than what is written: it shows whether it was */

/* What a peer's ring is like while it is recorded with @more, and afterwards. */
struct sizes {
	char subbuf[32], ring[32], trace[32];
	char subbuf_after[32], ring_after[32], trace_after[32];
};

static void keep(char *to, const struct peer *peer, const char *name)
{
	snprintf(to, 32, "%s", peer_get(peer, name));
	to[strcspn(to, "\n")] = '\0';
}

static void ring_init(struct peer *peer)
{
	peer_init(peer);
	peer_put(peer, "buffer_subbuf_size_kb", ORIGINAL);
	peer_put(peer, "trace", "content");
}

static void ring_record(struct peer *peer, const char *more, struct sizes *sizes)
{
	struct run run;

	record_begin(&run, peer, more);
	wait_for_order(peer);
	keep(sizes->subbuf, peer, "buffer_subbuf_size_kb");
	keep(sizes->ring, peer, "buffer_size_kb");
	keep(sizes->trace, peer, "trace");
	peer_put(peer, "trace", "recorded");
	kill(run.pid, SIGINT);
	run_wait(&run);
	keep(sizes->subbuf_after, peer, "buffer_subbuf_size_kb");
	keep(sizes->ring_after, peer, "buffer_size_kb");
	keep(sizes->trace_after, peer, "trace");
}

static void test_chosen(void)
{
	struct sizes sizes;
	struct peer peer;

	ring_init(&peer);
	ring_record(&peer, "-e|sched", &sizes);
	ok(!strcmp(sizes.subbuf, "16"), "an empty ring gets sub-buffers of 16 KiB");
	ok(!strcmp(sizes.trace, ""), "with its counters set back");
	ok(!strcmp(sizes.subbuf_after, "4"), "the old size is put back");
	ok(!strcmp(sizes.trace_after, ""), "with the counters set back again");
	ok(!strcmp(sizes.ring_after, "1408"), "and the ring gets the size it had");
	record_done(&peer);
}

/* One that must not be changed: nothing is written, nothing emptied. */
static void unchanged(struct peer *peer, const char *more, const char *name)
{
	struct sizes sizes;

	ring_record(peer, more, &sizes);
	ok(!strcmp(peer_get(peer, "buffer_subbuf_size_kb"), ORIGINAL) &&
	   !strcmp(sizes.trace, "content") && !strcmp(sizes.trace_after, "recorded"), "%s", name);
	record_done(peer);
}

static void test_left_alone(void)
{
	struct peer peer;

	ring_init(&peer);
	peer.held = 3;
	unchanged(&peer, "-e|sched", "a ring that holds events keeps them");
	ring_init(&peer);
	peer.ports = 1;
	unchanged(&peer, "-e|sched", "so does one without a port");
	ring_init(&peer);
	unchanged(&peer, "-e|sched|-b|64K", "a small ring is not divided further");
	ring_init(&peer);
	unchanged(&peer, "", "a ring that will stay small is not either");
	ring_init(&peer);
	unchanged(&peer, "-e|sched|--subbuf|keep", "--subbuf keep does what it says");
	ring_init(&peer);
	unchanged(&peer, "-e|sched|--subbuf|64K|--subbuf|keep", "the last one counts");
}

static void test_larger_already(void)
{
	struct sizes sizes;
	struct peer peer;

	ring_init(&peer);
	peer_put(&peer, "buffer_subbuf_size_kb", "64\n");
	ring_record(&peer, "-e|sched", &sizes);
	ok(!strcmp(sizes.subbuf, "64") && !strcmp(sizes.trace, "content"),
	   "a larger size that somebody chose stays");
	record_done(&peer);
}

static void test_given(void)
{
	struct sizes sizes;
	struct peer peer;

	ring_init(&peer);
	peer.held = 3;
	ring_record(&peer, "--subbuf|64K|-b|1M", &sizes);
	ok(!strcmp(sizes.subbuf, "64") && !strcmp(sizes.ring, "1024"), "given sizes are set");
	ok(!strcmp(sizes.trace, ""), "whatever the ring holds");
	ok(!strcmp(sizes.subbuf_after, "4") && !strcmp(sizes.ring_after, "1408"),
	   "and put back");
	record_done(&peer);
}

/* Rings of several sizes can't be put back by one number. */
static void test_several(void)
{
	struct sizes sizes;
	struct peer peer;

	ring_init(&peer);
	peer_put(&peer, "buffer_size_kb", "X\n");
	peer_put(&peer, "per_cpu/cpu0/buffer_size_kb", "100\n");
	peer_put(&peer, "per_cpu/cpu1/buffer_size_kb", "200\n");
	ring_record(&peer, "-b|1M", &sizes);
	ok(!strcmp(sizes.ring, "1024") && !strcmp(sizes.ring_after, "1024"),
	   "the sum of several sizes is not written");
	ok(!strcmp(peer_get(&peer, "per_cpu/cpu0/buffer_size_kb"), "100\n") &&
	   !strcmp(peer_get(&peer, "per_cpu/cpu1/buffer_size_kb"), "200\n"),
	   "but each CPU's");
	record_done(&peer);
}

static void test_old_kernel(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	peer_put(&peer, "trace", "content");
	is(record_once(&run, &peer, "-e|sched|--subbuf|64K"), CMD_FAILED,
	   "a size that is given fails where there is one only");
	ok(file_says(run.err, "need Linux 6.8 in the guest"), "and told why");
	ok(!strcmp(peer_get(&peer, "trace"), "content"), "the ring is not emptied for it");
	record_done(&peer);

	peer_init(&peer);
	is(record_once(&run, &peer, "-e|sched|--duration|100ms"), CMD_OK,
	   "without one it is recorded");
	is(file_lines(run.err), 0, "and nothing is said");
	record_done(&peer);
}

static void test_words(void)
{
	static const char * const wrong[] = { "big", "1K", "16M", "16KB" };
	struct peer peer;
	struct run run;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		char more[64];

		peer_init(&peer);
		snprintf(more, sizeof(more), "--subbuf|%s", wrong[i]);
		is(record_once(&run, &peer, more), CMD_USAGE, "--subbuf %s: wrong usage", wrong[i]);
		ok(file_says(run.err, wrong[i]), "and named");
		record_done(&peer);
	}
}

int main(void)
{
	test_chosen();
	test_left_alone();
	test_larger_already();
	test_given();
	test_several();
	test_old_kernel();
	test_words();
	return done();
}
