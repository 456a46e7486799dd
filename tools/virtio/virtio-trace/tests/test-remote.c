// SPDX-License-Identifier: GPL-2.0-only
/* Is what an agent says understood when it is right, and refused when it can't be? */
#include <errno.h>
#include <string.h>

#include "../host/remote.h"
#include "tap.h"

#define MACHINE "sysname=Linux\nnodename=n\nrelease=6.12\nversion=#1 SMP x\nmachine=x86_64\n" \
	"page_size=4096\nnew_key=whatever\n"

static int parse_machine(const char *text, struct remote_machine *machine)
{
	char copy[8192];

	snprintf(copy, sizeof(copy), "%s", text);
	return remote_machine_parse(copy, machine);
}

static void test_machine(void)
{
	struct remote_machine m;

	is(parse_machine(MACHINE "subbuf_size=65536\nlong_size=4\nendian=big\n"
			 "cpus_possible=0-7\ncpus_online=0-2,5\n", &m), 0, "a machine");
	ok(m.big_endian && m.long_size == 4 && m.subbuf_size == 65536, "of another kind");
	is(m.cpus, 8, "with its possible CPUs");
	ok(cpulist_has(&m.online, 5) && !cpulist_has(&m.online, 3), "and those online");
	ok(!strcmp(m.version, "#1 SMP x"), "and a version with blanks");
	is(parse_machine("", &m), -EBADMSG, "an empty text is none");
	is(parse_machine(MACHINE "subbuf_size=100\nlong_size=8\nendian=big\n"
			 "cpus_possible=0\ncpus_online=0\n", &m), -EBADMSG, "tiny sub-buffers");
	is(parse_machine(MACHINE "subbuf_size=4096\nlong_size=5\nendian=big\n"
			 "cpus_possible=0\ncpus_online=0\n", &m), -EBADMSG, "a strange long");
	is(parse_machine(MACHINE "subbuf_size=4096\nlong_size=8\nendian=middle\n"
			 "cpus_possible=0\ncpus_online=0\n", &m), -EBADMSG, "a strange order");
	is(parse_machine(MACHINE "subbuf_size=4096\nlong_size=8\nendian=big\n"
			 "cpus_possible=0-99999\ncpus_online=0\n", &m), -EBADMSG, "too many CPUs");
	is(parse_machine(MACHINE "subbuf_size=99999999999\nlong_size=8\nendian=big\n"
			 "cpus_possible=0\ncpus_online=0\n", &m), -EBADMSG, "huge sub-buffers");
}

static int parse_stats(const char *text, struct remote_stats *stats)
{
	char copy[8192];

	snprintf(copy, sizeof(copy), "%s", text);
	return remote_stats_parse(copy, stats);
}

static void test_stats(void)
{
	struct remote_stats s;

	is(parse_stats("agent order=1 seq=3 instance=foo later=x\n"
		       "cpu0 state=running port_bytes=18446744073709551615 read=7 novelty=a\n"
		       "cpu5 state=down lost_queue=1 lost_resize=2 lost_device=3\n", &s), 0,
	   "stats");
	ok(s.order == 1 && s.seq == 3 && !strcmp(s.instance, "foo"), "with the order");
	is(s.ncpus, 2, "and the relays");
	is(remote_stats_cpu(&s, 0)->read, 7, "which have counters");
	is(remote_lost(remote_stats_cpu(&s, 5)), 6, "of losses as well");
	ok(!remote_stats_cpu(&s, 1), "a CPU without relay has none");
	remote_stats_free(&s);
	is(parse_stats("agent order=0 seq=1 instance=\n", &s), 0, "no relay at all");
	ok(!*s.instance && !remote_stats_cpu(&s, 0), "and no instance");
	remote_stats_free(&s);
	is(parse_stats("", &s), -EBADMSG, "an empty text is none");
	is(parse_stats("agent order=2x\n", &s), -EBADMSG, "a number with letters");
	is(parse_stats("agent order=99999999999\n", &s), -EBADMSG, "a number too large");
	is(parse_stats("agent order=0\ncpu1 read=1\ncpu1 read=1\n", &s), -EBADMSG, "a CPU twice");
	is(parse_stats("agent order=0\ncpu99999 read=1\n", &s), -EBADMSG, "a CPU too high");
	is(parse_stats("agent order=0\ncpu4096 read=1\n", &s), -EBADMSG, "even by one");
	is(parse_stats("agent order=0\ncpu4095 read=1\n", &s), 0, "the highest CPU");
	is(remote_stats_cpu(&s, 4095)->read, 1, "is one");
	remote_stats_free(&s);
	is(parse_stats("agent order=0\ncpu1\n", &s), -EBADMSG, "a CPU without counters");
	is(parse_stats("agent order=0\ncpu1 read=-1\n", &s), -EBADMSG, "a number below 0");
}

static void test_ring(void)
{
	char text[] = "entries: 12\noverrun: 3\ncommit overrun: 4\nbytes: 99\n"
		"oldest event ts:     1.5\nnow ts: 2.5\ndropped events: 5\nread events: 6\n";
	char bad[] = "entries: many\n";
	struct remote_cpu cpu = { .cpu = 1, .port_bytes = 77 };

	is(remote_ring_parse(text, &cpu), 0, "a ring's counters");
	ok(cpu.entries == 12 && cpu.overrun == 3 && cpu.commit_overrun == 4 && cpu.dropped == 5 &&
	   cpu.read == 6, "are all read");
	is(cpu.port_bytes, 77, "and nothing else is touched");
	is(remote_ring_parse(bad, &cpu), -EBADMSG, "words are no numbers");
}

int main(void)
{
	test_machine();
	test_stats();
	test_ring();
	return done();
}
