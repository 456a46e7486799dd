// SPDX-License-Identifier: GPL-2.0-only
/* How are a guest's trace settings changed so that nothing is left changed? */
/*
 * Theory of operation
 *
 * Every change is a write into a file of the guest, and so is what undoes it. The
 * undo is noted before the change is made, so that whatever goes wrong in between,
 * running all noted undos backwards leads to where the guest was.
 *
 * The order of changes matters: recording is switched off first and back last; the
 * ring's sub-buffers and size change while no event is on, for that empties it (settings-ring.c).
 */
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../msg.h"
#include "settings-local.h"

#define OLD_VALUE_MAX 65536

int settings_note(struct settings *settings, const char *path, const char *value)
{
	struct settings_undo *undo;

	undo = reallocarray(settings->undo, settings->nundo + 1, sizeof(*undo));
	if (!undo)
		return -ENOMEM;
	settings->undo = undo;
	undo += settings->nundo;
	undo->path = strdup(path);
	undo->value = value ? strdup(value) : NULL;
	if (!undo->path || (value && !undo->value)) {
		free(undo->path);
		free(undo->value);
		return -ENOMEM;
	}
	settings->nundo++;
	return 0;
}

int settings_write(struct settings *settings, const char *path, const char *value, bool truncate)
{
	char *line;
	int len, ret;

	len = asprintf(&line, "%s\n", value);
	if (len < 0)
		return -ENOMEM;
	ret = p9client_write(settings->client, path, line, len, truncate);
	free(line);
	return ret;
}

char *settings_value_in_force(char *text)
{
	static const char expanded[] = "(expanded: ";
	char *open = strchr(text, '['), *later = strstr(text, expanded);

	if (later) {
		text = later + strlen(expanded);
		text[strcspn(text, ")")] = '\0';
		return text;
	}
	if (open)
		text = open + 1;
	text[strcspn(text, open ? "]\n" : "\n ")] = '\0';
	return text;
}

int settings_note_old(struct settings *settings, const char *path)
{
	char *text;
	int ret;

	ret = source_read_text(&settings->client->source, path, OLD_VALUE_MAX, &text, NULL);
	if (ret)
		return ret;
	ret = settings_note(settings, path, settings_value_in_force(text));
	free(text);
	return ret;
}

static void settings_drop_last(struct settings *settings)
{
	settings->nundo--;
	free(settings->undo[settings->nundo].path);
	free(settings->undo[settings->nundo].value);
}

void settings_forget(struct settings *settings, u32 nundo)
{
	while (settings->nundo > nundo)
		settings_drop_last(settings);
}

static int settings_change(struct settings *settings, const char *file, const char *value)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/%s", settings->tracing, file) < 0)
		return msg_err(ENOMEM, "guest %s", settings->name);
	ret = settings_note_old(settings, path);
	if (!ret)
		ret = settings_write(settings, path, value, true);
	if (ret)
		msg_err(ret, "guest %s: write '%s' to %s", settings->name, value, path);
	free(path);
	return ret;
}

static int settings_find_tracing(struct settings *settings)
{
	char *instance;
	int ret;

	ret = source_read_text(&settings->client->source, "agent/instance", 256, &instance, NULL);
	if (ret)
		return msg_err(ret, "guest %s: read agent/instance", settings->name);
	instance[strcspn(instance, "\n")] = '\0';
	if (asprintf(&settings->tracing, "tracing%s%s", *instance ? "/instances/" : "",
		     instance) < 0) {
		settings->tracing = NULL;
		ret = msg_err(ENOMEM, "guest %s", settings->name);
	}
	free(instance);
	return ret;
}

static int settings_make_instance(struct settings *settings, const char *name)
{
	char *path;
	int ret;

	if (asprintf(&path, "tracing/instances/%s", name) < 0)
		return msg_err(ENOMEM, "guest %s", settings->name);
	ret = p9client_mkdir(settings->client, path);
	if (!ret)
		ret = settings_note(settings, path, NULL);
	else if (ret == -EEXIST)
		ret = 0;
	if (ret)
		msg_err(ret, "guest %s: make the instance %s", settings->name, path);
	free(path);
	return ret;
}

static int settings_select_instance(struct settings *settings, const char *name)
{
	int ret;

	ret = settings_make_instance(settings, name);
	if (ret)
		return ret;
	ret = settings_note_old(settings, "agent/instance");
	if (!ret)
		ret = settings_write(settings, "agent/instance", name, true);
	if (ret)
		msg_err(ret, "guest %s: select the instance %s", settings->name, name);
	return ret;
}

int settings_apply(struct settings *settings, const struct settings_wanted *wanted)
{
	int ret = 0;

	if (wanted->instance)
		ret = settings_select_instance(settings, wanted->instance);
	if (!ret)
		ret = settings_find_tracing(settings);
	if (!ret)
		ret = settings_change(settings, "tracing_on", "0");
	if (!ret)
		ret = settings_size_ring(settings, wanted);
	if (!ret && wanted->clock)
		ret = settings_change(settings, "trace_clock", wanted->clock);
	if (!ret && wanted->nevents)
		ret = settings_enable_events(settings, wanted->events, wanted->nevents);
	if (!ret && wanted->tracer)
		ret = settings_change(settings, "current_tracer", wanted->tracer);
	return ret;
}

int settings_switch(struct settings *settings, bool on)
{
	char *path;
	int ret;

	if (asprintf(&path, "%s/tracing_on", settings->tracing) < 0)
		return msg_err(ENOMEM, "guest %s", settings->name);
	ret = settings_write(settings, path, on ? "1" : "0", true);
	if (ret)
		msg_err(ret, "guest %s: switch recording %s", settings->name, on ? "on" : "off");
	free(path);
	return ret;
}

static int settings_undo_one(struct settings *settings, const struct settings_undo *undo)
{
	int ret;

	if (settings->client->session.dead)
		return settings->client->session.dead;
	if (!undo->value)
		ret = p9client_rmdir(settings->client, undo->path);
	else
		ret = settings_write(settings, undo->path, undo->value, !*undo->value);
	if (ret && undo->value)
		msg_err(ret, "guest %s: put back '%s' in %s", settings->name, undo->value,
			undo->path);
	else if (ret)
		msg_err(ret, "guest %s: remove %s", settings->name, undo->path);
	return ret;
}

int settings_restore(struct settings *settings)
{
	int ret = 0, err;

	if (settings->nundo && settings->client->session.dead)
		msg_err(0, "guest %s: its settings stay changed: %u could not be put back",
			settings->name, settings->nundo);
	while (settings->nundo) {
		err = settings_undo_one(settings, &settings->undo[settings->nundo - 1]);
		ret = ret ? ret : err;
		settings_drop_last(settings);
	}
	free(settings->undo);
	free(settings->tracing);
	settings->undo = NULL;
	settings->tracing = NULL;
	return ret;
}
