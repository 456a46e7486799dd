// SPDX-License-Identifier: GPL-2.0-only
/* How large are the ring buffer and its sub-buffers while a recording runs? */
/*
 * Theory of operation
 *
 * A new size of the sub-buffers throws away what the ring holds, and Linux 6.12 keeps the
 * counters of it: the ring is emptied after each such change, which sets them back. The kernel
 * also rounds the ring up to whole sub-buffers, there and back, so that it would grow with
 * every recording: its size is noted first and put back last.
 *
 * A size that nobody asked for is set only where that is certain to take nothing away from
 * anybody: no event in any ring, none that must stay there for want of a port, enough
 * sub-buffers left. What goes wrong then is no fault of the recording.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../msg.h"
#include "remote.h"
#include "settings-local.h"

#define KB_TEXT_MAX 64

/*
 * With 16 KiB a stock kernel takes a third fewer instructions to ship a MiB than with 4, and
 * no fewer with 64; but a quiet CPU then sends 64 KiB each second for a few events.
 */
#define SUBBUF_AUTO (16 * 1024)
#define SUBBUFS_MIN 8	/* fewer lose too much of the ring when one is overwritten */

static char *ring_path(const struct settings *settings, const char *file)
{
	char *path;

	return asprintf(&path, "%s/%s", settings->tracing, file) < 0 ? NULL : path;
}

static int ring_note_cpu(void *to, const char *entry, bool is_dir)
{
	struct settings *settings = to;
	char *path;
	int ret;

	if (!is_dir)
		return 0;
	if (asprintf(&path, "%s/per_cpu/%s/buffer_size_kb", settings->tracing, entry) < 0)
		return -ENOMEM;
	ret = settings_note_old(settings, path);
	free(path);
	return ret;
}

/* The CPUs' rings may differ in size, then one number can't put them back. */
static int ring_note_size(struct settings *settings, const char *path)
{
	struct source *src = &settings->client->source;
	const u32 before = settings->nundo;
	char *cpus;
	int ret;

	ret = settings_note_old(settings, path);
	if (ret || strcmp(settings->undo[before].value, "X"))
		return ret;
	settings_forget(settings, before);
	cpus = ring_path(settings, "per_cpu");
	if (!cpus)
		return -ENOMEM;
	ret = src->list(src, cpus, ring_note_cpu, settings);
	free(cpus);
	return ret;
}

static int ring_write_subbuf(struct settings *settings, const char *path, const char *trace,
			     const char *kb)
{
	int ret;

	/* Undone backwards: first the size, then the ring is emptied. */
	ret = settings_note(settings, trace, "");
	if (!ret)
		ret = settings_note_old(settings, path);
	if (!ret)
		ret = settings_write(settings, path, kb, true);
	if (!ret)
		ret = settings_write(settings, trace, "", true);
	return ret;
}

/* Nothing is noted when the size could not be set, and the ring holds what it did. */
static int ring_set_subbuf(struct settings *settings, u64 bytes)
{
	char *path = ring_path(settings, "buffer_subbuf_size_kb");
	char *trace = ring_path(settings, "trace"), kb[24];
	const u32 before = settings->nundo;
	int ret = -ENOMEM;

	snprintf(kb, sizeof(kb), "%llu", (bytes + 1023) / 1024);
	if (path && trace)
		ret = ring_write_subbuf(settings, path, trace, kb);
	if (ret)
		settings_forget(settings, before);
	free(trace);
	free(path);
	return ret;
}

static int ring_read_kb(struct settings *settings, const char *file, bool expanded, u64 *bytes)
{
	char *path = ring_path(settings, file), *text;
	int ret;

	if (!path)
		return -ENOMEM;
	ret = source_read_text(&settings->client->source, path, KB_TEXT_MAX, &text, NULL);
	free(path);
	if (ret)
		return ret;
	*bytes = 1024 * strtoull(expanded ? settings_value_in_force(text) : text, NULL, 10);
	free(text);
	return 0;
}

/* Is there no event in any ring, and will there be none for which there is no port? */
static int ring_is_free(struct settings *settings, bool *is_free)
{
	struct source *src = &settings->client->source;
	struct cpulist possible = { 0 };
	struct remote_machine machine;
	struct remote_stats stats;
	int ret;
	u32 i;

	ret = remote_machine_read(src, &machine);
	if (!ret)
		ret = remote_stats_read(src, &stats);
	if (ret)
		return ret;
	for (i = 0; i < machine.cpus; i++)
		cpulist_add(&possible, i);
	ret = remote_stats_add_rings(src, settings->tracing, &possible, &stats);
	*is_free = true;
	for (i = 0; i < stats.ncpus; i++)
		if (stats.cpus[i].entries ||
		    (!*stats.cpus[i].state && cpulist_has(&machine.online, stats.cpus[i].cpu)))
			*is_free = false;
	remote_stats_free(&stats);
	return ret;
}

/* What size to choose where the user has not; 0: that which is. */
static int ring_choose_subbuf(struct settings *settings, const struct settings_wanted *wanted,
			      u64 *bytes)
{
	const bool expanded = wanted->nevents || wanted->tracer;
	u64 subbuf, ring = wanted->buffer_bytes;
	bool is_free;
	int ret;

	ret = ring_read_kb(settings, "buffer_subbuf_size_kb", false, &subbuf);
	if (!ret && !ring)
		ret = ring_read_kb(settings, "buffer_size_kb", expanded, &ring);
	if (ret || subbuf >= SUBBUF_AUTO || ring < SUBBUFS_MIN * SUBBUF_AUTO)
		return ret;
	ret = ring_is_free(settings, &is_free);
	if (!ret && is_free)
		*bytes = SUBBUF_AUTO;
	return ret;
}

/* What the user has not asked for is not worth an error, unless there is no going on. */
static int ring_shrug(const struct settings *settings, int err)
{
	return err == -EINTR || settings->client->session.dead ? err : 0;
}

static int ring_apply_subbuf(struct settings *settings, u64 bytes, bool asked)
{
	int ret;

	ret = ring_set_subbuf(settings, bytes);
	if (!asked)
		return ring_shrug(settings, ret);
	if (ret)
		msg_err(ret, "guest %s: write '%llu' to %s/buffer_subbuf_size_kb", settings->name,
			(bytes + 1023) / 1024, settings->tracing);
	if (ret == -ENOENT)
		msg_info("guest %s: sub-buffers of another size need Linux 6.8 in the guest",
			 settings->name);
	return ret;
}

static int ring_apply_sizes(struct settings *settings, u64 bytes, u64 subbuf, bool asked)
{
	char *path = ring_path(settings, "buffer_size_kb"), kb[24];
	int ret = path ? ring_note_size(settings, path) : -ENOMEM;

	if (ret)
		msg_err(ret, "guest %s: read %s/buffer_size_kb", settings->name, settings->tracing);
	if (!ret && subbuf)
		ret = ring_apply_subbuf(settings, subbuf, asked);
	if (!ret && bytes) {
		snprintf(kb, sizeof(kb), "%llu", (bytes + 1023) / 1024);
		ret = settings_write(settings, path, kb, true);
		if (ret)
			msg_err(ret, "guest %s: write '%s' to %s", settings->name, kb, path);
	}
	free(path);
	return ret;
}

int settings_size_ring(struct settings *settings, const struct settings_wanted *wanted)
{
	u64 subbuf = wanted->subbuf_bytes;
	int ret = 0;

	if (wanted->subbuf == SUBBUF_SIZE_AUTO)
		ret = ring_shrug(settings, ring_choose_subbuf(settings, wanted, &subbuf));
	if (!ret && (subbuf || wanted->buffer_bytes))
		ret = ring_apply_sizes(settings, wanted->buffer_bytes, subbuf,
				       wanted->subbuf == SUBBUF_SIZE_GIVEN);
	return ret;
}
