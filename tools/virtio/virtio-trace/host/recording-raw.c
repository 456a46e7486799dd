// SPDX-License-Identifier: GPL-2.0-only
/* How is a guest recorded that has only the ports of 2012? */
#include "recording-local.h"

#include <errno.h>
#include <stdio.h>

#include "../msg.h"
#include "order.h"

#define OUTPUT_DEFAULT_RAW "trace.raw"

/* Nobody says when the last byte has been sent; the agent is silent after it. */
#define RAW_SILENCE_MS 1000

static bool recording_wants_settings(const struct settings_wanted *wanted)
{
	return wanted->instance || wanted->clock || wanted->tracer || wanted->buffer_bytes ||
	       wanted->subbuf_bytes || wanted->nevents;
}

int recording_begin_raw(struct recording *recording)
{
	const struct recording_wanted *wanted = recording->wanted;
	int ret;

	if (recording_wants_settings(&wanted->settings)) {
		msg_err(0, "guest %s: settings of the guest can only be changed through "
			GUEST_FS ", which it does not have", recording->guest.name);
		return -EOPNOTSUPP;
	}
	recording->output = wanted->output ? wanted->output : OUTPUT_DEFAULT_RAW;
	recording_drain_stale(recording);
	recording->collector.quota = wanted->max_bytes;
	ret = collector_to_raw(&recording->collector, recording->output);
	if (!ret)
		ret = order_by_fifo(&recording->guest, true, ORDER_WAIT_MS);
	recording->started = !ret;
	return ret;
}

int recording_end_raw(struct recording *recording)
{
	int ret;

	ret = order_by_fifo(&recording->guest, false, ORDER_WAIT_MS);
	if (!ret)
		collector_settle(&recording->collector, NULL, RAW_SILENCE_MS);
	return ret;
}

void recording_report_raw(const struct recording *recording, FILE *out)
{
	const struct collector *collector = &recording->collector;
	u32 i;

	fprintf(out, "%5s %15s %15s\n", "cpu", "bytes stored", "not stored");
	for (i = 0; i < collector->ncpus; i++)
		fprintf(out, "%5u %15llu %15llu\n", collector->cpus[i].cpu,
			collector->cpus[i].stored, collector->cpus[i].discarded);
	fprintf(out, "What the guest counted can't be had without " GUEST_FS ".\n");
}
