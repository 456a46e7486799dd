// SPDX-License-Identifier: GPL-2.0-only
/* Does the ledger put every event where it went, and notice when it can't? */
#include <string.h>

#include "../host/account.h"
#include "tap.h"

static const struct remote_cpu start = {
	.port_bytes = 8192, .entries = 5, .overrun = 10, .read = 100, .dropped = 1,
};

/* 50 events written since, 20 of them overwritten; 30 and the 5 before were taken, 4096 bytes. */
static struct remote_cpu later(void)
{
	return (struct remote_cpu){
		.port_bytes = 8192 + 4096, .entries = 0, .overrun = 30, .read = 135, .dropped = 3,
		.commit_overrun = 4,
	};
}

static void test_whole(void)
{
	struct remote_cpu after = later();
	struct account_cpu cpu = {
		.before = &start, .after = &after, .received = 4096, .events = 35,
	};

	account_balance(&cpu);
	is(cpu.flaws, 0, "all that was sent arrived");
	is(cpu.row.recorded, 55, "what the ring held counts as recorded");
	is(cpu.row.delivered, 35, "what is in the file is delivered");
	is(cpu.row.overwritten, 20, "overwritten is counted from the start");
	is(cpu.row.dropped, 6, "so is dropped, of both kinds");
	is(cpu.row.lost + cpu.row.others + cpu.row.unstored + cpu.row.in_ring, 0, "nothing else");

	after.read = 130;
	after.entries = 5;
	cpu.events = 30;
	account_balance(&cpu);
	is(cpu.row.in_ring, 5, "what is left in the ring is counted");
	is(cpu.row.recorded, 55, "and was recorded");
}

static void test_elsewhere(void)
{
	struct remote_cpu after = later();
	struct account_cpu cpu = {
		.before = &start, .after = &after, .received = 4096, .events = 25,
	};

	account_balance(&cpu);
	is(cpu.flaws, 0, "another reader is no flaw");
	is(cpu.row.others, 10, "what it took is counted");
	cpu.discarded = 2048;
	account_balance(&cpu);
	is(cpu.row.unstored, 10, "what was not stored is counted as that");
	is(cpu.flaws, 0, "and is no flaw either");
}

static void test_flaws(void)
{
	struct remote_cpu after = later();
	struct account_cpu cpu = {
		.before = &start, .after = &after, .received = 1024, .events = 25,
	};

	account_balance(&cpu);
	is(cpu.flaws, ACCOUNT_MISSING, "missing bytes are a flaw");
	is(cpu.missing, 3072, "and counted");
	is(cpu.row.lost, 10, "their events are lost");
	cpu.received = 5000;
	account_balance(&cpu);
	is(cpu.flaws, ACCOUNT_EXTRA, "so are bytes nobody sent");
	cpu.received = 4096;
	cpu.events = 36;
	account_balance(&cpu);
	is(cpu.flaws, ACCOUNT_SURPLUS, "so are events nobody took out of the ring");
	cpu.events = 30;
	after.lost_queue = 512;
	account_balance(&cpu);
	is(cpu.flaws, ACCOUNT_AGENT_LOST, "so are bytes the agent lost");
	is(cpu.row.lost, 5, "whose events are lost");
	after = later();
	after.read = 3;
	account_balance(&cpu);
	is(cpu.flaws, ACCOUNT_RESET, "counters that went back are noticed");
	is(cpu.row.recorded, 0, "and not believed");
	cpu.after = NULL;
	account_balance(&cpu);
	is(cpu.flaws, ACCOUNT_UNKNOWN, "no counters are a flaw");
	is(cpu.row.delivered, 30, "what arrived is known");
	cpu.damaged = 2;
	account_balance(&cpu);
	is(cpu.flaws, ACCOUNT_UNKNOWN | ACCOUNT_DAMAGED, "damaged sub-buffers are one more");
}

static bool print_says(const struct account_cpu *cpus, u32 count, bool *closes, const char *text)
{
	char *all = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&all, &len);
	bool says;

	*closes = account_print(cpus, count, out);
	fclose(out);
	says = strstr(all, text);
	free(all);
	return says;
}

static void test_print(void)
{
	struct remote_cpu after = later();
	struct account_cpu cpus[2] = {
		{ .cpu = 0, .before = &start, .after = &after, .received = 4096, .events = 35 },
		{ .cpu = 3, .before = &start, .after = &after, .received = 4096, .events = 34 },
	};
	bool closes;

	account_balance(&cpus[0]);
	account_balance(&cpus[1]);
	ok(print_says(cpus, 1, &closes, "    0          55          35          20"), "a row");
	ok(closes, "that closes");
	ok(!print_says(cpus, 1, &closes, "read by others"), "a rare column is left out");
	ok(print_says(cpus, 2, &closes, "read by others"), "and shown when it is needed");
	ok(print_says(cpus, 2, &closes, "  all         110          69"), "rows are summed up");
	cpus[1].received = 0;
	account_balance(&cpus[1]);
	ok(print_says(cpus, 2, &closes, "cpu3: 4096 bytes that the agent sent did not arrive"),
	   "a flaw is told in words");
	ok(!closes, "and does not close");
}

int main(void)
{
	test_whole();
	test_elsewhere();
	test_flaws();
	test_print();
	return done();
}
