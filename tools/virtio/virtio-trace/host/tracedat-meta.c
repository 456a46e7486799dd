// SPDX-License-Identifier: GPL-2.0-only
/* What stands before the events in a trace.dat: a guest's formats, symbols, names and options. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../msg.h"
#include "../version.h"
#include "tracedat-local.h"

/*
 * Theory of operation
 *
 * The guest's files have no size to ask for, so each is streamed through with
 * its length left open and written when the end is known; numbers of formats
 * likewise. Nothing is held in memory, and what a guest can make us write is
 * bounded per file and in all.
 */

#define KIB 1024u
#define MIB (1024u * KIB)

#define META_MAX (160 * MIB)
#define HEADER_MAX (64 * KIB)
#define FORMAT_MAX MIB
#define KALLSYMS_MAX (64 * MIB)
#define PRINTK_MAX (8 * MIB)
#define CLOCK_MAX (4 * KIB)
#define CMDLINES_MAX MIB
#define CMDLINES_ROOM_MIN (64 * KIB)
#define SYSTEMS_MAX 2048u
#define EVENTS_MAX 8192u

enum option_id {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_VERSION = 9,
	OPTION_TRACEID = 11,
};

struct meta {
	struct tracedat *dat;
	const struct tracedat_info *info;
	struct source *src;
	u64 at;
	u64 file_end;
};

static int meta_bytes(struct meta *m, const void *data, size_t len)
{
	int ret;

	if (len > META_MAX || m->at > META_MAX - len)
		return -EFBIG;
	ret = tracedat_put(m->dat, m->at, data, len, NULL);
	m->at += len;
	return ret;
}

static int meta_string(struct meta *m, const char *text)
{
	return meta_bytes(m, text, strlen(text) + 1);
}

static int meta_number(struct meta *m, u64 value, unsigned int bytes)
{
	u8 number[8];

	tracedat_order(m->dat, value, bytes, number);
	return meta_bytes(m, number, bytes);
}

/* Sets a number that was left open. */
static int meta_settle(struct meta *m, u64 at, u64 value, unsigned int bytes)
{
	u8 number[8];

	tracedat_order(m->dat, value, bytes, number);
	return tracedat_put(m->dat, at, number, bytes, NULL);
}

static int meta_file_sink(void *to, const void *data, size_t len)
{
	struct meta *m = to;

	if (len > m->file_end - m->at)
		return -EFBIG;
	return meta_bytes(m, data, len);
}

/* Stores a file of the guest's behind its length; -ENOENT leaves no trace. */
static int meta_file(struct meta *m, const char *path, unsigned int length_bytes, u64 max)
{
	u64 start = m->at;
	int ret;

	ret = meta_number(m, 0, length_bytes);
	if (ret)
		return ret;
	m->file_end = m->at + max;
	ret = m->src->read(m->src, path, meta_file_sink, m);
	if (ret == -ENOENT)
		m->at = start;
	else if (!ret)
		ret = meta_settle(m, start, m->at - start - length_bytes, length_bytes);
	if (ret && ret != -ENOENT)
		msg_err(ret, "%s: store the guest's %s", m->dat->path, path);
	return ret;
}

static int meta_file_optional(struct meta *m, const char *path, unsigned int length_bytes,
			      u64 max)
{
	int ret = meta_file(m, path, length_bytes, max);

	return ret == -ENOENT ? meta_number(m, 0, length_bytes) : ret;
}

static int meta_begin(struct meta *m)
{
	static const char magic[] = "\x17\x08\x44tracing6";
	const struct subbuf_layout *layout = &m->dat->layout;
	int ret;

	ret = meta_bytes(m, magic, sizeof(magic));
	ret = ret ? ret : meta_number(m, layout->big_endian, 1);
	ret = ret ? ret : meta_number(m, m->info->long_size, 1);
	return ret ? ret : meta_number(m, layout->size, 4);
}

static int meta_headers(struct meta *m)
{
	char path[PATH_MAX];
	int ret;

	ret = meta_string(m, "header_page");
	snprintf(path, sizeof(path), "%s/events/header_page", m->info->tracing);
	ret = ret ? ret : meta_file(m, path, 8, HEADER_MAX);
	if (ret == -ENOENT)
		msg_err(ret, "%s: store the guest's %s", m->dat->path, path);
	ret = ret ? ret : meta_string(m, "header_event");
	snprintf(path, sizeof(path), "%s/events/header_event", m->info->tracing);
	return ret ? ret : meta_file_optional(m, path, 8, HEADER_MAX);
}

static int meta_list(struct meta *m, const char *path, unsigned int max, char ***names)
{
	int ret = source_list_dirs(m->src, path, max, names);

	if (ret && ret != -ENOENT)
		msg_err(ret, "%s: list the guest's %s", m->dat->path, path);
	return ret;
}

/* Stores a number and as many formats: an event may vanish, with its module, in between. */
static int meta_formats(struct meta *m, const char *system)
{
	u64 count_at = m->at;
	char path[PATH_MAX];
	char **events;
	u32 count = 0;
	size_t i;
	int ret;

	ret = meta_number(m, 0, 4);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "tracing/events/%s", system);
	ret = meta_list(m, path, EVENTS_MAX, &events);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	for (i = 0; events[i]; i++) {
		snprintf(path, sizeof(path), "tracing/events/%s/%s/format", system, events[i]);
		ret = meta_file(m, path, 8, FORMAT_MAX);
		if (ret && ret != -ENOENT)
			break;
		count += !ret;
		ret = 0;
	}
	source_free_names(events);
	return ret ? ret : meta_settle(m, count_at, count, 4);
}

static bool system_is_wanted(const struct tracedat_info *info, const char *system)
{
	const char *const *want;

	if (!strcmp(system, "ftrace"))
		return false;
	for (want = info->systems; want && *want; want++)
		if (!strcmp(*want, system))
			return true;
	return !info->systems;
}

static int meta_systems(struct meta *m)
{
	u64 count_at = m->at;
	char **systems;
	u32 count = 0;
	size_t i;
	int ret;

	ret = meta_number(m, 0, 4);
	if (ret)
		return ret;
	ret = meta_list(m, "tracing/events", SYSTEMS_MAX, &systems);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	for (i = 0; !ret && systems[i]; i++) {
		if (!system_is_wanted(m->info, systems[i]))
			continue;
		count++;
		ret = meta_string(m, systems[i]);
		ret = ret ? ret : meta_formats(m, systems[i]);
	}
	source_free_names(systems);
	return ret ? ret : meta_settle(m, count_at, count, 4);
}

/* Reads "PID NAME" lines; others would make readers of the file stumble, so they go. */
static int cmdlines_read(const char *path, struct source *src, char **text, size_t *len)
{
	static const char file[] = "tracing/saved_cmdlines";
	char *line, *end, *next, *to;
	size_t digits;
	int ret;

	ret = source_read_text(src, file, CMDLINES_MAX, text, NULL);
	if (ret == -ENOENT) {
		*text = calloc(1, 1);
		ret = *text ? 0 : -ENOMEM;
	}
	if (ret)
		return msg_err(ret, "%s: store the guest's %s", path, file);

	to = *text;
	for (line = *text; line; line = next) {
		end = strchrnul(line, '\n');
		next = *end ? end + 1 : NULL;
		digits = strspn(line, "0123456789");
		if (!digits || digits > 10 || line[digits] != ' ' || end - line < (int)digits + 2)
			continue;
		memmove(to, line, end - line);
		to += end - line;
		*to++ = '\n';
	}
	*len = to - *text;
	return 0;
}

/* Fills the room with lines, as many as it holds, and with empty ones. */
static int cmdlines_store(struct tracedat *dat, const char *text, size_t len)
{
	size_t room = dat->cmdlines_room;
	char *padded;
	int ret;

	while (len > room) {
		len = room;
		while (len && text[len - 1] != '\n')
			len--;
	}
	padded = malloc(room);
	if (!padded)
		return -ENOMEM;
	memcpy(padded, text, len);
	memset(padded + len, '\n', room - len);
	ret = tracedat_put(dat, dat->cmdlines_at, padded, room, NULL);
	free(padded);
	return ret;
}

int tracedat_cmdlines(struct tracedat *dat, struct source *src)
{
	char *text;
	size_t len;
	int ret;

	ret = cmdlines_read(dat->path, src, &text, &len);
	if (ret)
		return ret;
	ret = cmdlines_store(dat, text, len);
	free(text);
	return ret;
}

static int meta_cmdlines(struct meta *m)
{
	struct tracedat *dat = m->dat;
	size_t len, room;
	char *text;
	int ret;

	ret = cmdlines_read(dat->path, m->src, &text, &len);
	if (ret)
		return ret;
	room = len + len / 4;
	dat->cmdlines_room = room > CMDLINES_ROOM_MIN ? room : CMDLINES_ROOM_MIN;
	ret = meta_number(m, dat->cmdlines_room, 8);
	dat->cmdlines_at = m->at;
	m->at += dat->cmdlines_room;
	ret = ret ? ret : cmdlines_store(dat, text, len);
	free(text);
	return ret;
}

static int meta_option(struct meta *m, enum option_id id, const void *data, size_t len)
{
	int ret;

	ret = meta_number(m, id, 2);
	ret = ret ? ret : meta_number(m, len, 4);
	return ret ? ret : meta_bytes(m, data, len);
}

static int meta_cpustats(struct meta *m)
{
	static const char room[TRACEDAT_CPUSTAT_ROOM];
	int ret = 0;
	u32 i;

	m->dat->cpustat_at = m->at + TRACEDAT_OPTION_HEAD;
	for (i = 0; !ret && i < m->dat->cpus; i++)
		ret = meta_option(m, OPTION_CPUSTAT, room, sizeof(room));
	return ret;
}

static int meta_options(struct meta *m, const char *clock)
{
	static const char version[] = "virtio-trace " VIRTIO_TRACE_VERSION;
	const struct tracedat_info *info = m->info;
	u8 trace_id[8];
	int ret;

	tracedat_order(m->dat, info->trace_id, sizeof(trace_id), trace_id);
	ret = meta_string(m, "options  ");
	ret = ret ? ret : meta_option(m, OPTION_TRACECLOCK, clock, strlen(clock) + 1);
	if (!ret && info->uname)
		ret = meta_option(m, OPTION_UNAME, info->uname, strlen(info->uname) + 1);
	ret = ret ? ret : meta_option(m, OPTION_VERSION, version, sizeof(version));
	ret = ret ? ret : meta_option(m, OPTION_TRACEID, trace_id, sizeof(trace_id));
	ret = ret ? ret : meta_cpustats(m);
	/* The end mark is the number alone, without a size. */
	return ret ? ret : meta_number(m, OPTION_DONE, 2);
}

static int meta_clock(struct meta *m, char **clock)
{
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/trace_clock", m->info->tracing);
	ret = source_read_text(m->src, path, CLOCK_MAX, clock, NULL);
	if (ret == -ENOENT) {
		*clock = strdup("[local]");
		ret = *clock ? 0 : -ENOMEM;
	}
	return ret ? msg_err(ret, "%s: store the guest's %s", m->dat->path, path) : 0;
}

/* The end: options, the table of CPUs still empty, and the clock once more. */
static int meta_end(struct meta *m)
{
	struct tracedat *dat = m->dat;
	char *clock;
	int ret;

	ret = meta_clock(m, &clock);
	if (ret)
		return ret;
	ret = meta_number(m, dat->cpus, 4);
	ret = ret ? ret : meta_options(m, clock);
	ret = ret ? ret : meta_string(m, "flyrecord");
	dat->table_at = m->at;
	m->at += 16ULL * dat->cpus;
	ret = ret ? ret : meta_number(m, strlen(clock), 8);
	ret = ret ? ret : meta_bytes(m, clock, strlen(clock));
	free(clock);
	dat->meta_end = m->at;
	return ret;
}

int tracedat_write_meta(struct tracedat *dat, const struct tracedat_info *info,
			struct source *src)
{
	struct meta m = { .dat = dat, .info = info, .src = src };
	int ret;

	ret = meta_begin(&m);
	ret = ret ? ret : meta_headers(&m);
	ret = ret ? ret : meta_formats(&m, "ftrace");
	ret = ret ? ret : meta_systems(&m);
	ret = ret ? ret : meta_file_optional(&m, "kallsyms", 4, KALLSYMS_MAX);
	ret = ret ? ret : meta_file_optional(&m, "tracing/printk_formats", 4, PRINTK_MAX);
	ret = ret ? ret : meta_cmdlines(&m);
	return ret ? ret : meta_end(&m);
}
