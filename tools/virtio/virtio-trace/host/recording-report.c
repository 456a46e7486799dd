// SPDX-License-Identifier: GPL-2.0-only
/* What is said of a recording when it has ended? */
#include "recording.h"

#include <errno.h>
#include <stdlib.h>

#include "../msg.h"
#include "recording-local.h"

static struct account_cpu account_of(const struct recording *recording, u32 cpu)
{
	const struct collector *collector = &recording->collector;
	struct account_cpu account = {
		.cpu = cpu,
		.before = remote_stats_cpu(&recording->before, cpu),
		.after = remote_stats_cpu(&recording->after, cpu),
	};
	u32 i;

	account.no_port = account.before && !*account.before->state;
	for (i = 0; i < collector->ncpus; i++) {
		if (collector->cpus[i].cpu != cpu)
			continue;
		account.received = collector_received(&collector->cpus[i]);
		account.discarded = collector->cpus[i].discarded;
		account.events = collector->cpus[i].events;
		account.damaged = collector->cpus[i].damaged;
	}
	account_balance(&account);
	return account;
}

static bool recording_report_ledger(const struct recording *recording, FILE *out)
{
	struct account_cpu *accounts, account;
	u32 cpu, count = 0;
	bool closes;

	accounts = calloc(recording->machine.cpus, sizeof(*accounts));
	if (!accounts) {
		msg_err(ENOMEM, "guest %s: ledger", recording->guest.name);
		return false;
	}
	for (cpu = 0; cpu < recording->machine.cpus; cpu++) {
		account = account_of(recording, cpu);
		if (account.before || account.after || account.received)
			accounts[count++] = account;
	}
	closes = account_print(accounts, count, out);
	free(accounts);
	return closes;
}

bool recording_report(const struct recording *recording, FILE *out)
{
	const struct collector *collector = &recording->collector;

	fprintf(out, "guest %s: %s: %.1f s, %.1f MiB", recording->guest.name, recording->output,
		(recording->end_ms - recording->begin_ms) / 1e3,
		collector->stored / 1048576.0);
	if (recording->client) {
		fprintf(out, ", %llu events\n", collector->events);
		return recording_report_ledger(recording, out);
	}
	putc('\n', out);
	/* Nothing tells what the guest recorded, so nothing can close. */
	recording_report_raw(recording, out);
	return false;
}
