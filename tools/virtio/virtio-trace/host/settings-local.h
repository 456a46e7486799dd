/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of settings share: noting an undo, writing a value, events, sizes. */
#ifndef VIRTIO_TRACE_SETTINGS_LOCAL_H
#define VIRTIO_TRACE_SETTINGS_LOCAL_H

#include "settings.h"

/**
 * struct settings_undo - what puts one change back
 * @path: the file to write, or the directory to remove
 * @value: what to write, "" after emptying the file; NULL: remove the directory
 */
struct settings_undo {
	char *path;
	char *value;
};

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
 * settings_note_old() - note what undoes a write to a file that tells its value when it is read
 * @settings: the changes
 * @path: the file
 *
 * Return: 0 or -errno.
 */
int settings_note_old(struct settings *settings, const char *path);

/**
 * settings_forget() - drop the latest notes: what they undo was not done
 * @settings: the changes
 * @nundo: how many remain
 */
void settings_forget(struct settings *settings, u32 nundo);

/**
 * settings_value_in_force() - find the value in what a file says
 * @text: the text; it is cut off behind the value
 *
 * The value is in brackets where there is a choice, else the first word. A ring not used
 * yet tells two sizes, "7 (expanded: 1408)": the second is what it will have.
 *
 * Return: where it begins.
 */
char *settings_value_in_force(char *text);

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

/**
 * settings_size_ring() - set the sizes of rings and sub-buffers, note what undoes it
 * @settings: the changes, with recording switched off
 * @wanted: what the user asked for
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int settings_size_ring(struct settings *settings, const struct settings_wanted *wanted);

#endif
