// SPDX-License-Identifier: GPL-2.0-only
/* Which event systems can a recording hold? */
#include "source-enabled.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_LIST_MAX (1024 * 1024)

/**
 * struct enabled - the source
 * @source: what is shown
 * @inner: what is asked
 * @list: the guest's set_event: lines "system:event"
 */
struct enabled {
	struct source source;
	struct source *inner;
	char *list;
};

static int enabled_read(struct source *src, const char *path,
			int (*sink)(void *to, const void *data, size_t len), void *to)
{
	struct enabled *enabled = (struct enabled *)src;

	return enabled->inner->read(enabled->inner, path, sink, to);
}

static bool enabled_has_system(const struct enabled *enabled, const char *system)
{
	size_t len = strlen(system);
	const char *line;

	if (!strcmp(system, "ftrace"))
		return true;
	for (line = enabled->list; *line; line += strcspn(line, "\n")) {
		line += *line == '\n';
		if (!strncmp(line, system, len) && line[len] == ':')
			return true;
	}
	return false;
}

/**
 * struct enabled_listing - a listing on its way through
 * @enabled: the source
 * @name: whom to tell
 * @to: handed to it
 */
struct enabled_listing {
	struct enabled *enabled;
	int (*name)(void *to, const char *entry, bool is_dir);
	void *to;
};

static int enabled_name(void *to, const char *entry, bool is_dir)
{
	struct enabled_listing *listing = to;

	if (is_dir && !enabled_has_system(listing->enabled, entry))
		return 0;
	return listing->name(listing->to, entry, is_dir);
}

static int enabled_list(struct source *src, const char *path,
			int (*name)(void *to, const char *entry, bool is_dir), void *to)
{
	struct enabled *enabled = (struct enabled *)src;
	struct enabled_listing listing = { .enabled = enabled, .name = name, .to = to };

	/* An instance has the systems of the top level, where their formats are read. */
	if (strcmp(path, "tracing/events"))
		return enabled->inner->list(enabled->inner, path, name, to);
	return enabled->inner->list(enabled->inner, path, enabled_name, &listing);
}

static int enabled_read_list(struct enabled *enabled, const char *tracing)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/set_event", tracing) < 0)
		return -ENOMEM;
	ret = source_read_text(enabled->inner, path, EVENT_LIST_MAX, &enabled->list, NULL);
	free(path);
	return ret;
}

int source_open_enabled(struct source *inner, const char *tracing, struct source **src)
{
	struct enabled *enabled = calloc(1, sizeof(*enabled));
	int ret;

	if (!enabled)
		return -ENOMEM;
	enabled->source = (struct source){ .read = enabled_read, .list = enabled_list };
	enabled->inner = inner;
	ret = enabled_read_list(enabled, tracing);
	if (ret) {
		source_close_enabled(&enabled->source);
		return ret;
	}
	*src = &enabled->source;
	return 0;
}

void source_close_enabled(struct source *src)
{
	struct enabled *enabled = (struct enabled *)src;

	if (!enabled)
		return;
	free(enabled->list);
	free(enabled);
}
