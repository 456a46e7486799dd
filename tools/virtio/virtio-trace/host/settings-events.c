// SPDX-License-Identifier: GPL-2.0-only
/* Which events does a recording enable, and which of them were off before? */
#include "settings-local.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../msg.h"

#define EVENT_LIST_MAX (1024 * 1024)
#define FILTER_MAX 65536

/**
 * struct event_list - the enabled events: the lines of set_event, sorted
 * @text: their text
 * @names: "system:event"
 * @count: how many
 */
struct event_list {
	char *text;
	char **names;
	size_t count;
};

static int event_compare(const void *a, const void *b)
{
	char *const *x = a, *const *y = b;

	return strcmp(*x, *y);
}

static void event_list_free(struct event_list *list)
{
	free(list->names);
	free(list->text);
}

static int event_list_read(struct settings *settings, const char *path, struct event_list *list)
{
	char *line, *rest;
	size_t len;
	int ret;

	*list = (struct event_list){ 0 };
	ret = source_read_text(&settings->client->source, path, EVENT_LIST_MAX, &list->text, &len);
	if (ret)
		return ret;
	/* No line is shorter than two bytes with its end. */
	list->names = calloc(len / 2 + 1, sizeof(*list->names));
	if (!list->names) {
		event_list_free(list);
		return -ENOMEM;
	}
	for (rest = list->text; (line = strsep(&rest, "\n"));)
		if (*line && strchr(line, ':'))
			list->names[list->count++] = line;
	qsort(list->names, list->count, sizeof(*list->names), event_compare);
	return 0;
}

static bool event_list_has(const struct event_list *list, const char *name)
{
	return list->count && bsearch(&name, list->names, list->count, sizeof(*list->names),
				      event_compare);
}

/* Whether any event is enabled of the system that @name belongs to. */
static bool event_list_has_system(const struct event_list *list, const char *name)
{
	size_t len = strchr(name, ':') + 1 - name, i;

	for (i = 0; i < list->count; i++)
		if (!strncmp(list->names[i], name, len))
			return true;
	return false;
}

static int event_note_system(struct settings *settings, const char *name)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/events/%.*s/enable", settings->tracing,
		     (int)strcspn(name, ":"), name) < 0)
		return -ENOMEM;
	ret = settings_note(settings, path, "0");
	free(path);
	return ret;
}

static int event_note(struct settings *settings, const char *path, const char *name)
{
	char *off;
	int ret;

	if (asprintf(&off, "!%s", name) < 0)
		return -ENOMEM;
	ret = settings_note(settings, path, off);
	free(off);
	return ret;
}

/* Systems that were wholly off are put back by one write instead of hundreds. */
static int events_note_new(struct settings *settings, const char *path,
			   const struct event_list *before, const struct event_list *after)
{
	const char *name, *last = "";
	int ret = 0;
	size_t i;

	for (i = 0; !ret && i < after->count; i++) {
		name = after->names[i];
		if (event_list_has(before, name))
			continue;
		if (event_list_has_system(before, name))
			ret = event_note(settings, path, name);
		else if (strncmp(name, last, strcspn(name, ":") + 1))
			ret = event_note_system(settings, name);
		last = name;
	}
	return ret;
}

/* The kernel takes a word with '*' for a pattern only where it names system and event. */
static char *event_full_name(const char *event)
{
	char *name;

	if (!strcmp(event, "all"))
		event = "*";
	if (strchr(event, ':') || !strpbrk(event, "*?["))
		return strdup(event);
	return asprintf(&name, "%s:*", event) < 0 ? NULL : name;
}

static int event_write(struct settings *settings, const char *path, const char *event)
{
	char *name = event_full_name(event);
	int ret;

	if (!name)
		return -ENOMEM;
	ret = settings_write(settings, path, name, false);
	free(name);
	return ret;
}

static int events_write(struct settings *settings, const char *path,
			const struct settings_event *events, u32 count)
{
	int ret;
	u32 i;

	for (i = 0; i < count; i++) {
		ret = event_write(settings, path, events[i].event);
		if (ret == -EINVAL || ret == -ENOENT) {
			msg_err(0, "guest %s: no such event: %s", settings->name, events[i].event);
			return ret;
		}
		if (ret)
			return msg_err(ret, "guest %s: enable %s", settings->name,
				       events[i].event);
	}
	return 0;
}

/*
 * What was enabled is noted afterwards, also after an error: only then is it known. Who
 * cancels in between has to wait for that, or it could not be put back.
 */
static int events_enable(struct settings *settings, const char *path,
			 const struct settings_event *events, u32 count)
{
	int *cancel_fd = &settings->client->session.cancel_fd, cancel = *cancel_fd;
	struct event_list before, after;
	int ret, err;

	ret = event_list_read(settings, path, &before);
	if (ret)
		return msg_err(ret, "guest %s: read %s", settings->name, path);
	*cancel_fd = -1;
	ret = events_write(settings, path, events, count);
	err = event_list_read(settings, path, &after);
	*cancel_fd = cancel;
	if (!err) {
		err = events_note_new(settings, path, &before, &after);
		event_list_free(&after);
	}
	event_list_free(&before);
	if (err && !ret)
		ret = msg_err(err, "guest %s: read %s", settings->name, path);
	return ret;
}

/**
 * struct filter_job - a filter on its way to the events that match
 * @settings: the changes
 * @events: path of the systems' directory
 * @systems: which systems
 * @system: path of the one whose events are looked at
 * @pattern: which of its events
 * @filter: the filter
 * @set: how many events took it
 * @refused: how many did not, for lack of a field in it or of sense
 */
struct filter_job {
	struct settings *settings;
	char *events;
	const char *systems;
	char *system;
	const char *pattern;
	const char *filter;
	u32 set;
	u32 refused;
};

static int filter_note_old(struct settings *settings, const char *path)
{
	char *text;
	int ret;

	ret = source_read_text(&settings->client->source, path, FILTER_MAX, &text, NULL);
	if (ret)
		return ret;
	text[strcspn(text, "\n")] = '\0';
	ret = settings_note(settings, path, strcmp(text, "none") ? text : "0");
	free(text);
	return ret;
}

static int filter_set(void *to, const char *entry, bool is_dir)
{
	struct filter_job *job = to;
	char *path;
	int ret;

	if (!is_dir || fnmatch(job->pattern, entry, 0))
		return 0;
	if (asprintf(&path, "%s/%s/filter", job->system, entry) < 0)
		return -ENOMEM;
	ret = filter_note_old(job->settings, path);
	if (!ret)
		ret = settings_write(job->settings, path, job->filter, true);
	free(path);
	if (!ret)
		job->set++;
	else if (ret == -EINVAL)
		job->refused++;
	return ret == -EINVAL || ret == -ENOENT ? 0 : ret;
}

static int filter_set_system(void *to, const char *entry, bool is_dir)
{
	struct filter_job *job = to;
	struct source *src = &job->settings->client->source;
	int ret;

	if (!is_dir || fnmatch(job->systems, entry, 0))
		return 0;
	if (asprintf(&job->system, "%s/%s", job->events, entry) < 0)
		return -ENOMEM;
	ret = src->list(src, job->system, filter_set, job);
	free(job->system);
	return ret;
}

/* Sets the filter of all events that @name, "SYSTEM" or "SYSTEM:EVENT", stands for. */
static int filter_run(struct filter_job *job, char *name)
{
	struct source *src = &job->settings->client->source;
	char *event = strchr(name, ':');
	int ret;

	if (event)
		*event++ = '\0';
	job->systems = name;
	job->pattern = event && *event ? event : "*";
	if (asprintf(&job->events, "%s/events", job->settings->tracing) < 0)
		return -ENOMEM;
	ret = src->list(src, job->events, filter_set_system, job);
	free(job->events);
	return ret;
}

static int filter_apply(struct settings *settings, const struct settings_event *event)
{
	struct filter_job job = { .settings = settings, .filter = event->filter };
	char *name = event_full_name(event->event);
	int ret;

	ret = name ? filter_run(&job, name) : -ENOMEM;
	free(name);
	if (ret == -ENOENT || (!ret && !job.set && !job.refused)) {
		msg_err(0, "guest %s: filter '%s': no such event: %s (SYSTEM or SYSTEM:EVENT)",
			settings->name, event->filter, event->event);
		return -ENOENT;
	}
	if (!ret && !job.set)
		ret = -EINVAL;
	if (ret)
		msg_err(ret, "guest %s: filter '%s' of %s", settings->name, event->filter,
			event->event);
	return ret;
}

int settings_enable_events(struct settings *settings, const struct settings_event *events,
			   u32 count)
{
	char *path;
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < count; i++)
		if (events[i].filter)
			ret = filter_apply(settings, &events[i]);
	if (ret)
		return ret;
	if (asprintf(&path, "%s/set_event", settings->tracing) < 0)
		return msg_err(ENOMEM, "guest %s", settings->name);
	ret = events_enable(settings, path, events, count);
	free(path);
	return ret;
}
