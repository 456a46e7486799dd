// SPDX-License-Identifier: GPL-2.0-only
/* Does record say the truth about what it has, whatever becomes of guest, disk and user? */
#include <signal.h>

#include "../p9.h"
#include "record-run.h"

static void file_put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		abort();
	fputs(text, f);
	fclose(f);
}

static void test_whole(void)
{
	const char *more = "-e|sched:sched_switch|-f|prev_pid != 0|-C|mono|-b|64K|--duration|300ms";
	struct peer peer;
	struct run run;

	peer_init(&peer);
	record_begin(&run, &peer, more);
	wait_for_order(&peer);
	ok(!strcmp(peer_get(&peer, "trace_clock"), "mono\n"), "the clock is set");
	ok(!strcmp(peer_get(&peer, "buffer_size_kb"), "64\n"), "so is the ring's size");
	ok(!strcmp(peer_get(&peer, "set_event"), "sched:sched_switch\n"), "the event is enabled");
	ok(!strcmp(peer_get(&peer, "events/sched/sched_switch/filter"), "prev_pid != 0\n"),
	   "with its filter");
	is(run_wait(&run), CMD_OK, "a whole recording is a success");
	ok(file_says(run.out, "all       40800       40800"), "every event is delivered");
	ok(file_says(run.out, "Every event recorded is in the file"), "and it says so");
	ok(!strncmp(peer_get(&peer, "tracing_on"), "1\n", 2), "the ring is on again");
	ok(!strncmp(peer_get(&peer, "trace_clock"), "local\n", 6), "the clock is as it was");
	ok(!strncmp(peer_get(&peer, "buffer_size_kb"), "1408\n", 5), "and the ring's size");
	ok(!strncmp(peer_get(&peer, "events/sched/sched_switch/filter"), "0\n", 2),
	   "the filter is gone");
	ok(!strncmp(peer_get(&peer, "events/sched/enable"), "0\n", 2), "the event is off");
	record_done(&peer);
}

/* The fake guest takes what is written for what is enabled: it has a system of that name. */
static void test_pattern(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	peer_mkdir(&peer, "events/sch*");
	peer_put(&peer, "events/sch*/enable", "");
	record_begin(&run, &peer, "-e|sch*|-f|common_pid != 0|--duration|300ms");
	wait_for_order(&peer);
	ok(!strcmp(peer_get(&peer, "set_event"), "sch*:*\n"), "a pattern alone is one of systems");
	ok(!strcmp(peer_get(&peer, "events/sched/sched_switch/filter"), "common_pid != 0\n"),
	   "whose events get the filter");
	ok(!strcmp(peer_get(&peer, "events/sched/sched_wakeup/filter"), "common_pid != 0\n"),
	   "all of them");
	is(run_wait(&run), CMD_OK, "and are recorded");
	ok(!strncmp(peer_get(&peer, "events/sched/sched_wakeup/filter"), "0\n", 2),
	   "the filters are gone");
	ok(!strcmp(peer_get(&peer, "events/sch*/enable"), "0\n"), "the events are off");
	record_done(&peer);

	peer_init(&peer);
	is(record_once(&run, &peer, "-e|net*|-f|x != 0"), CMD_FAILED,
	   "a filter of a pattern that fits nothing is a failure");
	ok(file_says(run.err, "no such event: net*"), "and told");
	record_done(&peer);
}

static void test_lost_bytes(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	peer.unsent = 10 * PEER_SUBBUF;
	is(record_once(&run, &peer, "--duration|100ms"), CMD_LEDGER,
	   "lost bytes make the ledger fail");
	ok(file_says(run.out, "cpu1: 40960 bytes that the agent sent did not arrive"),
	   "it says how many");
	ok(file_says(run.out, "all       44880       40800"), "and the events are counted");
	record_done(&peer);
}

static void test_agent_dies(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	record_begin(&run, &peer, "");
	wait_for_order(&peer);
	peer_stop(&peer);
	is(run_wait(&run), CMD_FAILED, "a dying agent is a failure");
	ok(file_says(run.err, "no answer from the agent within 2.0 s"), "the cause is told");
	ok(file_says(run.err, "its settings stay changed"), "and what could not be put back");
	ok(file_says(run.out, "40800"), "what had arrived is in the file");
	ok(access(run.output, F_OK) == 0, "which is kept");
	peer_exit(&peer);
}

static void test_guest_powered_off(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	record_begin(&run, &peer, "");
	wait_for_order(&peer);
	peer_stop(&peer);
	peer_power_off(&peer);
	is(run_wait(&run), CMD_FAILED, "a guest that is powered off is a failure");
	ok(file_says(run.err, "QEMU has closed the FIFOs: the guest is gone"), "and told");
	ok(file_says(run.out, "40800"), "what had arrived is in the file");
	peer.port_fd = -1;
	peer.listen_fd = -1;
	close(peer.stop_fd);
	nftw(peer.dir, peer_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static void test_disk_full(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	peer_start(&peer);
	run_init(&run, &peer);
	/* Room for the regions of both CPUs, but not for all of the second one. */
	run_start(&run, 200 * 1024, "");
	is(run_wait(&run), CMD_FAILED, "a full disk is a failure");
	ok(file_says(run.err, "trace.dat"), "the file is named");
	ok(file_says(run.err, "File too large"), "and the cause");
	ok(!strncmp(peer_get(&peer, "tracing_on"), "1\n", 2), "the guest is put back");
	is(atomic_load(&peer.order), 0, "and its relays are stopped");
	record_done(&peer);
}

static void test_quota(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	is(record_once(&run, &peer, "--max-size|100K"), CMD_OK,
	   "the end of the quota is no failure");
	ok(file_says(run.err, "--max-size is reached"), "it is told");
	ok(file_says(run.out, "not stored"), "what was not stored is counted");
	record_done(&peer);
}

static void test_refused(void)
{
	struct peer peer;
	struct run run;
	char part[128];

	peer_init(&peer);
	peer.refuse = ENOSPC;
	peer_start(&peer);
	run_init(&run, &peer);
	snprintf(part, sizeof(part), "%s.part", run.output);
	file_put(run.output, "an older trace");
	run_start(&run, 0, "");
	is(run_wait(&run), CMD_FAILED, "relays that can't start are a failure");
	ok(file_says(run.err, "start the relays: No space left on device"),
	   "the guest's errno is told");
	ok(file_says(run.output, "an older trace"), "an older file stays");
	ok(access(part, F_OK) != 0, "nothing is left of the new one");
	ok(!strncmp(peer_get(&peer, "tracing_on"), "1\n", 2), "the guest is put back");
	record_done(&peer);
}

static void test_signal_and_command(void)
{
	struct peer peer;
	struct run run, second;

	peer_init(&peer);
	record_begin(&run, &peer, "");
	wait_for_order(&peer);
	run_init(&second, &peer);
	snprintf(second.err, sizeof(second.err), "%s/err2", peer.dir);
	run_start(&second, 0, "");
	is(run_wait(&second), CMD_FAILED, "a second recorder is refused");
	ok(file_says(second.err, "another virtio-trace is at work with it"), "and told why");
	kill(run.pid, SIGINT);
	is(run_wait(&run), CMD_OK, "Ctrl-C ends a recording well");
	record_done(&peer);

	peer_init(&peer);
	is(record_once(&run, &peer, "--|sh|-c|exit 7"), CMD_OK, "so does the end of the command");
	ok(file_says(run.err, "sh: exit status 7"), "whose status is told");
	record_done(&peer);
}

static void test_deaf_command(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	is(record_once(&run, &peer, "--duration|500ms|--|sh|-c|trap '' TERM; exec sleep 60"),
	   CMD_OK, "a command that does not end does not keep record");
	ok(file_says(run.err, "sh: did not end within 2 s: killing it"), "it is told");
	ok(file_says(run.err, "sh: ended by signal 9"), "and done");
	record_done(&peer);
}

static void test_no_agent(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	peer_listen(&peer);
	run_init(&run, &peer);
	run_start(&run, 0, "");
	is(run_wait(&run), CMD_FAILED, "without an agent nothing is recorded");
	ok(file_says(run.err, "is trace-agent running in the guest?"), "and told why");
	ok(access(run.output, F_OK) != 0, "no file is left");
	peer_exit(&peer);
}

/* Whoever has the socket may say what it is, and then not a word more. */
static void *serve_version(void *arg)
{
	const struct p9_fcall reply = {
		.type = P9_RVERSION, .tag = P9_NOTAG, .msize = P9_MSIZE_MIN,
		.version = p9_str(P9_VERSION_STRING),
	};
	struct peer *peer = arg;
	u8 buf[64];
	int len;

	peer->port_fd = accept(peer->listen_fd, NULL, NULL);
	len = p9_encode(&reply, buf, sizeof(buf));
	if (write(peer->port_fd, buf, len) != len)
		abort();
	return NULL;
}

static void test_half_a_session(void)
{
	pthread_t thread;
	struct peer peer;
	struct run run;

	peer_init(&peer);
	peer_listen(&peer);
	if (pthread_create(&thread, NULL, serve_version, &peer))
		abort();
	run_init(&run, &peer);
	run_start(&run, 0, "");
	is(run_wait(&run), CMD_FAILED, "half a session is none");
	is(file_lines(run.err), 1, "which is told once");
	ok(file_says(run.err, "Or has another client the socket?"), "with what it may be");
	pthread_join(thread, NULL);
	peer_exit(&peer);
}

static void test_left_running(void)
{
	struct peer peer;
	struct run run;

	peer_init(&peer);
	atomic_store(&peer.order, 1);
	if (write(peer.fifo[0], peer.dir, 50) != 50)
		abort();
	is(record_once(&run, &peer, "--duration|100ms"), CMD_OK,
	   "relays left running are stopped first");
	ok(file_says(run.err, "the relays are running already"), "it is told");
	ok(file_says(run.err, "threw away 50 bytes"), "stale bytes are thrown away");
	ok(file_says(run.out, "all       40800       40800"), "and the recording is whole");
	record_done(&peer);
}

int main(void)
{
	test_whole();
	test_pattern();
	test_lost_bytes();
	test_agent_dies();
	test_guest_powered_off();
	test_disk_full();
	test_quota();
	test_refused();
	test_signal_and_command();
	test_deaf_command();
	test_no_agent();
	test_half_a_session();
	test_left_running();
	return done();
}
