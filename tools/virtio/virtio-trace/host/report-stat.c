// SPDX-License-Identifier: GPL-2.0-only
/* How much each CPU recorded and lost. */
#include "report-stat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../msg.h"
#include "cmd.h"
#include "stream.h"

struct cpu_count {
	u64 subbufs, events, bytes, missed;
	u64 first_ts, last_ts;
	bool uncounted;
};

static void cpu_scan(struct stream *st, struct cpu_count *count)
{
	while (stream_next_subbuf(st)) {
		if (!count->events)
			count->first_ts = st->info.first_ts;
		if (st->info.events)
			count->last_ts = st->info.last_ts;
		count->subbufs++;
		count->events += st->info.events;
		count->bytes += st->info.bytes;
	}
	count->missed = st->missed;
	count->uncounted = st->missed_uncounted;
	stream_end(st);
}

static void ts_print(const struct datread *dr, const char *key, u64 ts)
{
	u64 us = ts / 1000 + (ts % 1000 >= 500);

	/* Rounded, as the events are printed. */
	if (dr->ts_is_ns)
		printf(" %s=%llu.%06llu", key, us / 1000000, us % 1000000);
	else
		printf(" %s=%llu", key, ts);
}

static void cpu_print(const struct datread *dr, u32 cpu, const struct cpu_count *count)
{
	printf("cpu%u events=%llu missed=%llu%s subbufs=%llu bytes=%llu", cpu, count->events,
	       count->missed, count->uncounted ? "+" : "", count->subbufs, count->bytes);
	if (count->events) {
		ts_print(dr, "first", count->first_ts);
		ts_print(dr, "last", count->last_ts);
	}
	putchar('\n');
}

/* The text's own lines, control characters masked: it may be any guest's. */
static void stat_print(const char *text)
{
	bool at_begin = true;

	for (; *text; text++) {
		if (at_begin && *text != '\n')
			fputs("    ", stdout);
		at_begin = *text == '\n';
		putchar((unsigned char)*text < ' ' && *text != '\n' ? '?' : *text);
	}
	if (!at_begin)
		putchar('\n');
}

int report_stat(struct datread *dr, const bool *wanted)
{
	struct cpu_count count;
	struct stream st;
	u8 *subbuf;
	u32 i;

	subbuf = malloc(dr->layout.size);
	if (!subbuf) {
		msg_err(ENOMEM, "report");
		return CMD_FAILED;
	}
	for (i = 0; i < dr->cpus; i++) {
		if (wanted && !wanted[i])
			continue;
		memset(&count, 0, sizeof(count));
		stream_init(&st, dr, &dr->cpu[i]);
		st.subbuf = subbuf;
		cpu_scan(&st, &count);
		cpu_print(dr, dr->cpu[i].cpu, &count);
		if (dr->cpu[i].stat)
			stat_print(dr->cpu[i].stat);
	}
	free(subbuf);
	return CMD_OK;
}
