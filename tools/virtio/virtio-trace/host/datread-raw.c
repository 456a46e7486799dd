// SPDX-License-Identifier: GPL-2.0-only
/* How raw captures of data ports become a readable trace with a guest's files beside them. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../msg.h"
#include "datread.h"

#define KIB 1024u
#define MIB (1024u * KIB)

#define CPU_NUMBER_MAX 4095u
#define HEADER_MAX (4 * KIB)
#define FORMAT_MAX (256 * KIB)
#define PRINTK_MAX (4 * MIB)
#define CMDLINES_MAX (2 * MIB)
#define SYSTEMS_MAX 2048u
#define EVENTS_MAX 8192u

/* The CPU's number is what the last digits of the name say: cpu3.raw, trace-path-cpu3.out. */
static int path_cpu(const char *path, u32 *cpu)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *at, *digits = NULL;
	unsigned long number;

	for (at = name; *at; at++)
		if (isdigit((unsigned char)*at) &&
		    (at == name || !isdigit((unsigned char)at[-1])))
			digits = at;
	number = digits ? strtoul(digits, NULL, 10) : ULONG_MAX;
	if (number > CPU_NUMBER_MAX) {
		msg_err(0, "%s: the name tells no CPU: it must be like cpu3.raw", path);
		return -EINVAL;
	}
	*cpu = number;
	return 0;
}

static int raw_add(struct datread *dr, struct datread_cpu *cpu, const char *path)
{
	struct datread_cpu *other;
	int ret;

	ret = path_cpu(path, &cpu->cpu);
	if (ret)
		return ret;
	for (other = dr->cpu; other < cpu; other++) {
		if (other->cpu != cpu->cpu)
			continue;
		msg_err(0, "%s: CPU %u was given already, by %s", path, cpu->cpu,
			other->file->path);
		return -EINVAL;
	}
	cpu->file = &dr->file[dr->files];
	return datread_add_file(dr, path, &cpu->size);
}

static int text_of(struct source *src, const char *path, size_t max, char **text)
{
	int ret = source_read_text(src, path, max, text, NULL);

	return ret ? msg_err(ret, "read the guest's %s", path) : 0;
}

/* As text_of(), but a file that is not there is an empty one. */
static int text_of_optional(struct source *src, const char *path, size_t max, char **text)
{
	int ret = source_read_text(src, path, max, text, NULL);

	if (ret != -ENOENT)
		return ret ? msg_err(ret, "read the guest's %s", path) : 0;
	*text = calloc(1, 1);
	return *text ? 0 : msg_err(ENOMEM, "read the guest's %s", path);
}

/* Looks at the header alone. */
static bool commit_is_likely(const struct subbuf_layout *layout, const u8 *head)
{
	struct subbuf_iter iter;

	return !subbuf_first(layout, head, &iter) && iter.end;
}

/* Read in the wrong order, the length of what a sub-buffer holds is none, or more than fits. */
static bool raw_is_big_endian(const struct datread *dr, const struct subbuf_layout *layout)
{
	struct subbuf_layout little = *layout, big = *layout;
	u8 head[128];
	u32 i;

	little.big_endian = false;
	big.big_endian = true;
	for (i = 0; i < dr->files; i++) {
		if (pread(dr->file[i].fd, head, sizeof(head), 0) != sizeof(head))
			continue;
		if (commit_is_likely(&little, head))
			return false;
		if (commit_is_likely(&big, head))
			return true;
	}
	return false;
}

static int raw_layout(struct datread *dr, struct source *src)
{
	char *header, *machine;
	int ret;

	ret = text_of(src, "tracing/events/header_page", HEADER_MAX, &header);
	if (ret)
		return ret;
	ret = subbuf_layout_parse(header, strlen(header), false, &dr->layout);
	free(header);
	if (ret) {
		msg_err(0, "the guest's tracing/events/header_page makes no sense");
		return ret;
	}
	ret = text_of_optional(src, "agent/machine", HEADER_MAX, &machine);
	if (ret)
		return ret;
	if (strstr(machine, "endian="))
		dr->layout.big_endian = strstr(machine, "endian=big");
	else
		dr->layout.big_endian = raw_is_big_endian(dr, &dr->layout);
	free(machine);
	return 0;
}

static int raw_system(struct datread *dr, struct source *src, const char *system)
{
	char path[PATH_MAX], **events, *text;
	size_t i;
	int ret;

	snprintf(path, sizeof(path), "tracing/events/%s", system);
	ret = source_list_dirs(src, path, EVENTS_MAX, &events);
	if (ret)
		return msg_err(ret, "list the guest's %s", path);
	for (i = 0; !ret && events[i]; i++) {
		snprintf(path, sizeof(path), "tracing/events/%s/%s/format", system, events[i]);
		ret = text_of_optional(src, path, FORMAT_MAX, &text);
		if (ret)
			break;
		ret = *text ? decoder_add_format(dr->decoder, system, text) : 0;
		free(text);
		if (ret)
			msg_err(ret, "learn the guest's %s", path);
	}
	source_free_names(events);
	return ret;
}

static int raw_systems(struct datread *dr, struct source *src)
{
	char **systems;
	size_t i;
	int ret;

	ret = source_list_dirs(src, "tracing/events", SYSTEMS_MAX, &systems);
	if (ret)
		return msg_err(ret, "list the guest's tracing/events");
	for (i = 0; !ret && systems[i]; i++)
		ret = raw_system(dr, src, systems[i]);
	source_free_names(systems);
	if (!ret && decoder_learn_formats(dr->decoder))
		ret = msg_err(ENOMEM, "learn the guest's formats");
	return ret;
}

static int raw_names(struct datread *dr, struct source *src)
{
	char *text;
	int ret;

	ret = src->read(src, "kallsyms", decoder_add_symbols, dr->decoder);
	if (ret && ret != -ENOENT)
		return msg_err(ret, "read the guest's kallsyms");
	ret = text_of_optional(src, "tracing/printk_formats", PRINTK_MAX, &text);
	if (ret)
		return ret;
	ret = decoder_add_printk(dr->decoder, text);
	free(text);
	ret = ret ? ret : text_of_optional(src, "tracing/saved_cmdlines", CMDLINES_MAX, &text);
	if (ret)
		return ret;
	ret = decoder_add_cmdlines(dr->decoder, text);
	free(text);
	ret = ret ? ret : text_of_optional(src, "tracing/trace_clock", HEADER_MAX, &text);
	if (ret)
		return ret;
	datread_clock(dr, *text ? text : "[local]");
	free(text);
	return 0;
}

int datread_open_raw(struct source *src, char **paths, u32 count, bool plugins,
		     struct datread **out)
{
	struct datread *dr;
	int ret;
	u32 i;

	dr = datread_alloc(count);
	if (!dr)
		return msg_err(ENOMEM, "%u captures", count);
	ret = datread_add_cpus(dr, count);
	if (ret)
		msg_err(ret, "%u captures", count);
	for (i = 0; !ret && i < count; i++)
		ret = raw_add(dr, &dr->cpu[i], paths[i]);
	ret = ret ? ret : raw_layout(dr, src);
	if (!ret && decoder_alloc(&dr->layout, plugins, &dr->decoder))
		ret = msg_err(ENOMEM, "formats");
	ret = ret ? ret : raw_systems(dr, src);
	ret = ret ? ret : raw_names(dr, src);
	if (ret) {
		datread_close(dr);
		return ret;
	}
	*out = dr;
	return 0;
}
