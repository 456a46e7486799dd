// SPDX-License-Identifier: GPL-2.0-only
/* In which order is a guest recorded, and in which order is that undone? */
/*
 * Theory of operation
 *
 * The account of a recording can only be exact when the guest's counters are read
 * while nothing moves: before the start with the relays silent, the FIFOs empty and
 * the ring switched off; at the end after the ring was switched off and the order to
 * stop was answered, which says that everything has been handed to the ports.
 *
 * From the order to start until the FIFOs are empty again, the collector is the pump
 * of the 9P session: no wait for an answer may keep data waiting, or the guest's
 * ports fill up and the answer never comes.
 */
#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "../msg.h"
#include "recording-local.h"
#include "source-enabled.h"

#define OUTPUT_DEFAULT "trace.dat"
#define HEADER_PAGE_MAX 65536
#define SETTINGS_TIMEOUT_MS 60000	/* to enable all events takes seconds in a busy guest */
#define STALE_SILENCE_MS 300
#define SETTLE_SILENCE_MS 5000

u64 recording_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static bool recording_pump(void *ctx)
{
	return collector_run(ctx);
}

/* What ended a session has been said already, by the session. */
static int recording_err(const struct recording *recording, int err, const char *act)
{
	if (err == -EINTR || recording->client->session.dead)
		return err;
	return msg_err(err, "guest %s: %s", recording->guest.name, act);
}

/* Returns 0 with no client when the guest has only the ports of 2012. */
static int recording_connect(struct recording *recording)
{
	const struct recording_wanted *wanted = recording->wanted;
	int ret;

	ret = guest_open(wanted->base, wanted->guest, &recording->guest);
	if (!ret)
		ret = guest_lock(&recording->guest);
	if (!ret && !wanted->raw)
		ret = remote_connect(&recording->guest, wanted->timeout_ms, &recording->client);
	if (ret == -ENODEV)
		ret = 0;
	if (!ret)
		ret = collector_open(&recording->collector, &recording->guest);
	return ret;
}

void recording_drain_stale(struct recording *recording)
{
	struct collector *collector = &recording->collector;
	u64 bytes = 0;
	u32 i;

	if (collector_run(collector))
		collector_settle(collector, NULL, STALE_SILENCE_MS);
	for (i = 0; i < collector->ncpus; i++)
		bytes += collector->cpus[i].discarded;
	if (bytes)
		msg_info("guest %s: threw away %llu bytes that an earlier reader left in the FIFOs",
			 recording->guest.name, bytes);
}

/* Somebody may have started the relays, by echo or by a tool that died since. */
static int recording_silence(struct recording *recording)
{
	struct remote_stats stats;
	int ret;

	ret = remote_stats_read(&recording->client->source, &stats);
	if (ret)
		return recording_err(recording, ret, "read agent/stats");
	if (stats.order) {
		msg_info("guest %s: the relays are running already; stopping them",
			 recording->guest.name);
		recording->client->session.patient = true;
		ret = remote_order(recording->client, false);
		recording->client->session.patient = false;
	}
	remote_stats_free(&stats);
	if (ret)
		return recording_err(recording, ret, "stop the relays");
	recording_drain_stale(recording);
	return 0;
}

static int recording_read_layout(struct recording *recording)
{
	struct source *src = &recording->client->source;
	struct tracedat_info *info = &recording->info;
	char *path, *text;
	size_t len;
	int ret;

	if (asprintf(&path, "%s/events/header_page", recording->settings.tracing) < 0)
		return -ENOMEM;
	ret = source_read_text(src, path, HEADER_PAGE_MAX, &text, &len);
	free(path);
	if (ret)
		return ret;
	ret = subbuf_layout_parse(text, len, recording->machine.big_endian, &info->layout);
	free(text);
	/* Two ways to learn the same: if they differ, no reader could take the trace apart. */
	if (!ret && info->layout.size != recording->machine.subbuf_size)
		ret = -EBADMSG;
	return ret;
}

static int recording_fill_info(struct recording *recording)
{
	const struct remote_machine *machine = &recording->machine;
	struct tracedat_info *info = &recording->info;
	const struct guest *guest = &recording->guest;
	char *uname;
	int ret;

	ret = remote_machine_read(&recording->client->source, &recording->machine);
	if (!ret)
		ret = recording_read_layout(recording);
	if (ret)
		return recording_err(recording, ret, "learn what machine it is");
	if (asprintf(&uname, "%s %s %s %s %s", machine->sysname, machine->nodename,
		     machine->release, machine->version, machine->machine) < 0)
		return msg_err(ENOMEM, "guest %s", guest->name);
	info->uname = uname;
	info->long_size = machine->long_size;
	info->tracing = recording->settings.tracing;
	info->cpus = guest->cpus[guest->ncpus - 1] + 1;
	if (info->cpus > machine->cpus)
		info->cpus = machine->cpus;
	if (getrandom(&info->trace_id, sizeof(info->trace_id), 0) < 0)
		info->trace_id = recording_now_ms();
	return 0;
}

/* Events the ring holds: what they are was decided before, by somebody else. */
static int recording_count_held(struct recording *recording, u64 *held)
{
	struct remote_stats stats;
	int ret;
	u32 i;

	*held = 0;
	ret = remote_stats_read(&recording->client->source, &stats);
	if (ret)
		return ret;
	for (i = 0; i < stats.ncpus; i++)
		*held += stats.cpus[i].entries;
	remote_stats_free(&stats);
	return 0;
}

/* A ring that is empty will hold only what is enabled; else every format may be needed. */
static int recording_create_dat(struct recording *recording)
{
	struct source *src = &recording->client->source, *enabled;
	u64 held;
	int ret;

	ret = recording_count_held(recording, &held);
	if (ret)
		return recording_err(recording, ret, "read agent/stats");
	if (held)
		return tracedat_create(recording->output, &recording->info, src, &recording->dat);
	ret = source_open_enabled(src, recording->info.tracing, &enabled);
	if (ret)
		return recording_err(recording, ret, "learn which events are enabled");
	ret = tracedat_create(recording->output, &recording->info, enabled, &recording->dat);
	source_close_enabled(enabled);
	return ret;
}

static int recording_create(struct recording *recording)
{
	int ret;

	ret = recording_fill_info(recording);
	if (!ret)
		ret = recording_create_dat(recording);
	if (ret)
		return ret;
	recording->collector.quota = recording->wanted->max_bytes;
	ret = collector_to_tracedat(&recording->collector, recording->dat, &recording->info);
	return ret ? msg_err(ret, "guest %s", recording->guest.name) : 0;
}

static int recording_read_stats(struct recording *recording, struct remote_stats *stats)
{
	struct source *src = &recording->client->source;
	int ret;

	ret = remote_stats_read(src, stats);
	if (!ret)
		ret = remote_stats_add_rings(src, recording->settings.tracing,
					     &recording->machine.online, stats);
	if (ret)
		remote_stats_free(stats);
	return ret ? recording_err(recording, ret, "read agent/stats") : 0;
}

static int recording_start(struct recording *recording)
{
	int ret;

	ret = recording_read_stats(recording, &recording->before);
	if (ret)
		return ret;
	/* From here on a half-done start must be undone by a stop, not by giving up. */
	recording->client->session.cancel_fd = -1;
	ret = settings_switch(&recording->settings, true);
	if (ret)
		return ret;
	ret = remote_order(recording->client, true);
	if (ret)
		recording_err(recording, ret, "start the relays");
	else
		ret = tracedat_publish(recording->dat);
	if (ret) {
		/* The order stands although nothing comes of it; nobody wants it now. */
		remote_order(recording->client, false);
		return ret;
	}
	recording->started = true;
	return 0;
}

static void recording_allow_ms(struct recording *recording, u64 ms)
{
	u64 wanted = recording->wanted->timeout_ms;

	recording->client->session.timeout_ms = ms > wanted ? ms : wanted;
}

static int recording_apply_settings(struct recording *recording)
{
	int ret;

	recording_allow_ms(recording, SETTINGS_TIMEOUT_MS);
	ret = settings_apply(&recording->settings, &recording->wanted->settings);
	recording_allow_ms(recording, 0);
	return ret;
}

/* Whoever cancels wants the guest put back all the same. */
static int recording_restore_settings(struct recording *recording)
{
	recording->client->session.cancel_fd = -1;
	recording_allow_ms(recording, SETTINGS_TIMEOUT_MS);
	return settings_restore(&recording->settings);
}

static int recording_begin_dat(struct recording *recording, int cancel_fd)
{
	struct p9client *client = recording->client;
	int ret;

	client->session.cancel_fd = cancel_fd;
	client->session.pump = (struct p9pump){
		.fd = recording->collector.epoll_fd, .run = recording_pump,
		.ctx = &recording->collector,
	};
	recording->settings.client = client;
	recording->settings.name = recording->guest.name;
	ret = recording_silence(recording);
	if (!ret)
		ret = recording_apply_settings(recording);
	if (!ret)
		ret = recording_create(recording);
	if (!ret)
		ret = recording_start(recording);
	return ret;
}

int recording_begin(struct recording *recording, const struct recording_wanted *wanted,
		    int cancel_fd)
{
	int ret;

	*recording = (struct recording){
		.wanted = wanted,
		.output = wanted->output ? wanted->output : OUTPUT_DEFAULT,
		.guest.dir_fd = -1,
		.collector.epoll_fd = -1,
	};
	ret = recording_connect(recording);
	if (ret)
		return ret;
	if (recording->client)
		ret = recording_begin_dat(recording, cancel_fd);
	else
		ret = recording_begin_raw(recording);
	recording->begin_ms = recording_now_ms();
	return ret;
}

int recording_look(struct recording *recording)
{
	const struct remote_cpu *before;
	struct remote_stats now;
	int ret;
	u32 i;

	if (!recording->client)
		return 0;
	ret = remote_stats_read(&recording->client->source, &now);
	if (ret)
		return recording_err(recording, ret, "read agent/stats");
	recording->overwritten = 0;
	recording->lost = 0;
	for (i = 0; i < now.ncpus; i++) {
		before = remote_stats_cpu(&recording->before, now.cpus[i].cpu);
		if (!before || now.cpus[i].overrun < before->overrun)
			continue;
		recording->overwritten += now.cpus[i].overrun - before->overrun;
		recording->lost += remote_lost(&now.cpus[i]) - remote_lost(before);
	}
	remote_stats_free(&now);
	return 0;
}

/* Everything the agent has sent must come, unless it is lost. */
static void recording_settle(struct recording *recording)
{
	struct collector *collector = &recording->collector;
	const struct remote_cpu *before, *after;
	u64 *want;
	u32 i;

	want = calloc(collector->ncpus, sizeof(*want));
	for (i = 0; want && i < collector->ncpus; i++) {
		before = remote_stats_cpu(&recording->before, collector->cpus[i].cpu);
		after = remote_stats_cpu(&recording->after, collector->cpus[i].cpu);
		if (before && after && after->port_bytes > before->port_bytes)
			want[i] = after->port_bytes - before->port_bytes;
	}
	collector_settle(collector, want, SETTLE_SILENCE_MS);
	free(want);
}

static int recording_stop(struct recording *recording)
{
	struct p9session *session = &recording->client->session;
	int ret, err;

	if (session->dead)
		return session->dead;
	/* Each answer waits for data to be carried away first; that may take its time. */
	session->patient = true;
	ret = settings_switch(&recording->settings, false);
	err = remote_order(recording->client, false);
	session->patient = false;
	if (err)
		recording_err(recording, err, "stop the relays");
	ret = ret ? ret : err;
	if (!ret)
		ret = recording_read_stats(recording, &recording->after);
	if (!ret)
		recording_settle(recording);
	return ret;
}

static int recording_finish_cpu(struct recording *recording, u32 cpu)
{
	char *path, *text, *stat;
	int ret;

	if (asprintf(&path, "%s/per_cpu/cpu%u/stats", recording->settings.tracing, cpu) < 0)
		return -ENOMEM;
	ret = source_read_text(&recording->client->source, path, HEADER_PAGE_MAX, &text, NULL);
	free(path);
	if (ret)
		return ret;
	ret = asprintf(&stat, "CPU: %u\n%s", cpu, text) < 0 ? -ENOMEM : 0;
	free(text);
	if (ret)
		return ret;
	ret = tracedat_cpustat(recording->dat, cpu, stat);
	free(stat);
	return ret;
}

/* What the guest knows better at the end: tasks' names, and the rings' own counts. */
static int recording_finish(struct recording *recording)
{
	int ret;
	u32 cpu;

	ret = tracedat_cmdlines(recording->dat, &recording->client->source);
	for (cpu = 0; !ret && cpu < recording->info.cpus; cpu++)
		ret = recording_finish_cpu(recording, cpu);
	if (ret)
		msg_err(ret, "guest %s: finish %s", recording->guest.name, recording->output);
	return ret;
}

static int recording_end_dat(struct recording *recording)
{
	int ret, err;

	ret = recording_stop(recording);
	collector_count_rest(&recording->collector);
	if (!ret)
		ret = recording_finish(recording);
	err = recording_restore_settings(recording);
	ret = ret ? ret : err;
	err = tracedat_close(recording->dat, NULL);
	recording->dat = NULL;
	if (err)
		msg_err(err, "finish %s", recording->output);
	return ret ? ret : err;
}

int recording_end(struct recording *recording)
{
	recording->end_ms = recording_now_ms();
	return recording->client ? recording_end_dat(recording) : recording_end_raw(recording);
}

void recording_close(struct recording *recording)
{
	if (recording->client)
		recording_restore_settings(recording);
	tracedat_close(recording->dat, NULL);
	free((char *)recording->info.uname);
	remote_stats_free(&recording->before);
	remote_stats_free(&recording->after);
	collector_close(&recording->collector);
	p9client_close(recording->client);
	guest_close(&recording->guest);
}
