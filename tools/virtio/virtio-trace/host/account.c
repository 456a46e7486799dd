// SPDX-License-Identifier: GPL-2.0-only
/* Where is every event that the guest recorded? */
#include "account.h"

/**
 * struct column - one kind of event in the table
 * @title: its heading
 * @offset: where the number lives in struct account_row
 * @rare: shown only when there are any
 */
struct column {
	const char *title;
	size_t offset;
	bool rare;
};

#define COLUMN(title, field, rare) { title, offsetof(struct account_row, field), rare }

static const struct column columns[] = {
	COLUMN("recorded", recorded, false),
	COLUMN("delivered", delivered, false),
	COLUMN("overwritten", overwritten, false),
	COLUMN("in ring", in_ring, false),
	COLUMN("read by others", others, true),
	COLUMN("not stored", unstored, true),
	COLUMN("lost", lost, false),
	COLUMN("dropped", dropped, false),
};

static bool account_went_back(const struct remote_cpu *before, const struct remote_cpu *after)
{
	return after->overrun < before->overrun || after->read < before->read ||
	       after->dropped < before->dropped ||
	       after->commit_overrun < before->commit_overrun ||
	       after->port_bytes < before->port_bytes;
}

static void account_balance_bytes(struct account_cpu *cpu)
{
	u64 sent = cpu->after->port_bytes - cpu->before->port_bytes;

	cpu->agent_lost = remote_lost(cpu->after) - remote_lost(cpu->before);
	if (cpu->agent_lost)
		cpu->flaws |= ACCOUNT_AGENT_LOST;
	if (cpu->received > sent)
		cpu->flaws |= ACCOUNT_EXTRA;
	if (cpu->received < sent) {
		cpu->flaws |= ACCOUNT_MISSING;
		cpu->missing = sent - cpu->received;
	}
}

/* Events taken out of the ring that the file has not: the bytes tell what became of them. */
static void account_balance_rest(struct account_cpu *cpu, u64 rest)
{
	if (cpu->flaws & (ACCOUNT_MISSING | ACCOUNT_AGENT_LOST | ACCOUNT_DAMAGED))
		cpu->row.lost = rest;
	else if (cpu->discarded)
		cpu->row.unstored = rest;
	else
		cpu->row.others = rest;
}

void account_balance(struct account_cpu *cpu)
{
	const struct remote_cpu *before = cpu->before, *after = cpu->after;
	u64 taken;

	cpu->row = (struct account_row){ .delivered = cpu->events };
	cpu->flaws = cpu->damaged ? ACCOUNT_DAMAGED : 0;
	cpu->missing = 0;
	cpu->agent_lost = 0;
	if (!before || !after) {
		cpu->flaws |= ACCOUNT_UNKNOWN;
		return;
	}
	if (account_went_back(before, after)) {
		cpu->flaws |= ACCOUNT_RESET;
		return;
	}
	account_balance_bytes(cpu);
	taken = after->read - before->read;
	cpu->row.overwritten = after->overrun - before->overrun;
	cpu->row.in_ring = after->entries;
	cpu->row.recorded = cpu->row.overwritten + cpu->row.in_ring + taken;
	cpu->row.dropped = after->dropped - before->dropped +
			   after->commit_overrun - before->commit_overrun;
	if (cpu->events > taken)
		cpu->flaws |= ACCOUNT_SURPLUS;
	else
		account_balance_rest(cpu, taken - cpu->events);
}

static u64 row_value(const struct account_row *row, const struct column *column)
{
	return *(const u64 *)((const char *)row + column->offset);
}

static void row_add(struct account_row *sum, const struct account_row *row)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		*(u64 *)((char *)sum + columns[i].offset) += row_value(row, &columns[i]);
}

static void print_title(const struct account_row *sum, FILE *out)
{
	size_t i;

	fprintf(out, "%5s", "cpu");
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (!columns[i].rare || row_value(sum, &columns[i]))
			fprintf(out, " %*s", columns[i].rare ? 14 : 11, columns[i].title);
	putc('\n', out);
}

static void print_row(const char *name, const struct account_row *row, u32 flaws,
		      const struct account_row *sum, FILE *out)
{
	size_t i;

	fprintf(out, "%5s", name);
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		if (columns[i].rare && !row_value(sum, &columns[i]))
			continue;
		if (flaws & (ACCOUNT_UNKNOWN | ACCOUNT_RESET) &&
		    columns[i].offset != offsetof(struct account_row, delivered))
			fprintf(out, " %*s", columns[i].rare ? 14 : 11, "?");
		else
			fprintf(out, " %*llu", columns[i].rare ? 14 : 11,
				row_value(row, &columns[i]));
	}
	putc('\n', out);
}

static void print_flaws(const struct account_cpu *cpu, FILE *out)
{
	if (cpu->no_port)
		fprintf(out, "cpu%u has no port: what it records stays in the guest\n", cpu->cpu);
	if (cpu->flaws & ACCOUNT_UNKNOWN)
		fprintf(out, "cpu%u: the guest's counts could not be had\n", cpu->cpu);
	if (cpu->flaws & ACCOUNT_RESET)
		fprintf(out, "cpu%u: counters went back: %s\n", cpu->cpu,
			"the ring was emptied or the agent restarted meanwhile");
	if (cpu->flaws & ACCOUNT_SURPLUS)
		fprintf(out, "cpu%u: more events arrived than were taken from the ring\n",
			cpu->cpu);
	if (cpu->flaws & ACCOUNT_MISSING)
		fprintf(out, "cpu%u: %llu bytes that the agent sent did not arrive\n", cpu->cpu,
			cpu->missing);
	if (cpu->flaws & ACCOUNT_EXTRA)
		fprintf(out, "cpu%u: more bytes arrived than the agent sent\n", cpu->cpu);
	if (cpu->flaws & ACCOUNT_AGENT_LOST)
		fprintf(out, "cpu%u: the agent could not send %llu bytes\n", cpu->cpu,
			cpu->agent_lost);
	if (cpu->flaws & ACCOUNT_DAMAGED)
		fprintf(out, "cpu%u: %llu sub-buffers are damaged\n", cpu->cpu, cpu->damaged);
}

bool account_print(const struct account_cpu *cpus, u32 count, FILE *out)
{
	struct account_row sum = { 0 };
	char name[16];
	u32 i, flaws = 0;

	for (i = 0; i < count; i++) {
		row_add(&sum, &cpus[i].row);
		flaws |= cpus[i].flaws;
	}
	print_title(&sum, out);
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%u", cpus[i].cpu);
		print_row(name, &cpus[i].row, cpus[i].flaws, &sum, out);
	}
	print_row("all", &sum, flaws, &sum, out);
	for (i = 0; i < count; i++)
		print_flaws(&cpus[i], out);
	fputs(flaws ? "The ledger does not close.\n" :
	      "Every event recorded is in the file or counted here.\n", out);
	return !flaws;
}
