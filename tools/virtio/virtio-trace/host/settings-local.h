/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of settings share: noting an undo, writing a value, events. */
#ifndef VIRTIO_TRACE_SETTINGS_LOCAL_H
#define VIRTIO_TRACE_SETTINGS_LOCAL_H

#include "settings.h"

/**
 * settings_note() - note what undoes the next change
 * @settings: the changes
 * @path: the file to write, or the directory to remove
 * @value: what to write; NULL: remove the directory
 *
 * Return: 0 or -ENOMEM.
 */
int settings_note(struct settings *settings, const char *path, const char *value);

/**
 * settings_write() - write a line into a file of the guest
 * @settings: the changes
 * @path: the file
 * @value: the line without its end
 * @truncate: as "> FILE" does; else as ">> FILE"
 *
 * Return: 0 or -errno.
 */
int settings_write(struct settings *settings, const char *path, const char *value,
		   bool truncate);

/**
 * settings_enable_events() - set filters, enable events, note what undoes it
 * @settings: the changes
 * @events: the events
 * @count: how many
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int settings_enable_events(struct settings *settings, const struct settings_event *events,
			   u32 count);

#endif
