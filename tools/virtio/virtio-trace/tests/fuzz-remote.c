// SPDX-License-Identifier: GPL-2.0-only
/* Can anything an agent says of its guest harm the host tool? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host/account.h"
#include "../host/remote.h"

/* libFuzzer looks for this name. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

static char *text_of(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* A ledger of whatever numbers there are must be worked out and printed. */
static void account(const struct remote_stats *stats, FILE *out)
{
	struct account_cpu cpu = {
		.before = &stats->cpus[0], .after = &stats->cpus[stats->ncpus - 1],
		.received = stats->seq, .events = stats->cpus[0].read,
	};

	account_balance(&cpu);
	account_print(&cpu, 1, out);
}

/* The first byte tells which text the rest is. */
int fuzz_one(const u8 *data, size_t size)
{
	static FILE *out;
	struct remote_machine machine;
	struct remote_stats stats;
	struct remote_cpu cpu = { .cpu = 0 };
	char *text;

	if (!out)
		out = fopen("/dev/null", "w");
	if (!size || !out)
		return 0;
	text = text_of(data + 1, size - 1);
	if (data[0] == 'm') {
		remote_machine_parse(text, &machine);
	} else if (data[0] == 'r') {
		remote_ring_parse(text, &cpu);
	} else if (!remote_stats_parse(text, &stats)) {
		if (stats.ncpus)
			account(&stats, out);
		remote_stats_free(&stats);
	}
	free(text);
	return 0;
}
