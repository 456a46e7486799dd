// SPDX-License-Identifier: GPL-2.0-only
/* The account as text. */
#include "ledger.h"

static const char * const loss_names[LOSS_REASONS] = {
	[LOSS_QUEUE] = "queue",
	[LOSS_RESIZE] = "resize",
	[LOSS_DEVICE] = "device",
};

void ledger_print(const struct ledger *l, FILE *out)
{
	int i;

	fprintf(out, " ring_subbufs=%llu ring_bytes=%llu partial=%llu port_bytes=%llu",
		l->ring_subbufs, l->ring_bytes, l->partial, l->port_bytes);
	fprintf(out, " stalls=%llu wakeups=%llu", l->stalls, l->wakeups);
	for (i = 0; i < LOSS_REASONS; i++)
		fprintf(out, " lost_%s=%llu", loss_names[i], l->lost[i]);
}

u64 ledger_lost(const struct ledger *l)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < LOSS_REASONS; i++)
		sum += l->lost[i];
	return sum;
}
