/* SPDX-License-Identifier: GPL-2.0-only */
/* What a recording changes in the guest's tracing directory, and how it is put back. */
#ifndef VIRTIO_TRACE_SETTINGS_H
#define VIRTIO_TRACE_SETTINGS_H

#include "../types.h"
#include "p9client.h"

#define SETTINGS_EVENTS_MAX 256

/**
 * struct settings_event - events to enable
 * @event: "SYSTEM", "SYSTEM:EVENT", either with '*', or "all"
 * @filter: the kernel's filter for them; NULL: none
 */
struct settings_event {
	const char *event;
	const char *filter;
};

/**
 * enum subbuf_size - which size the sub-buffers shall have
 * @SUBBUF_SIZE_AUTO: the best one, where nothing can be lost by it
 * @SUBBUF_SIZE_KEEP: that which they have
 * @SUBBUF_SIZE_GIVEN: what the user says
 */
enum subbuf_size { SUBBUF_SIZE_AUTO, SUBBUF_SIZE_KEEP, SUBBUF_SIZE_GIVEN };

/**
 * struct settings_wanted - what the user asked for; NULL or 0: leave as it is
 * @instance: tracefs instance; made and removed again if there is none of that name
 * @clock: trace clock
 * @tracer: current tracer
 * @buffer_bytes: size of each CPU's ring buffer
 * @subbuf: which size of a sub-buffer
 * @subbuf_bytes: that which is given
 * @events: events to enable besides those that are
 * @nevents: how many
 */
struct settings_wanted {
	const char *instance;
	const char *clock;
	const char *tracer;
	u64 buffer_bytes;
	enum subbuf_size subbuf;
	u64 subbuf_bytes;
	struct settings_event events[SETTINGS_EVENTS_MAX];
	u32 nevents;
};

struct settings_undo;

/**
 * struct settings - the changes made, and by whom
 * @client: the guest's files
 * @name: what messages call the guest
 * @tracing: the tracing directory recorded from: "tracing" or "tracing/instances/NAME"
 * @undo: what puts the changes back, in the order they were made
 * @nundo: how many
 */
struct settings {
	struct p9client *client;
	const char *name;
	char *tracing;
	struct settings_undo *undo;
	u32 nundo;
};

/**
 * settings_apply() - change the guest as wanted, with recording switched off
 * @settings: the changes, all zero before but @client and @name
 * @wanted: what the user asked for
 *
 * Each change is noted before it is made. Says what failed; what had been changed by
 * then is for settings_restore().
 *
 * Return: 0 or -errno.
 */
int settings_apply(struct settings *settings, const struct settings_wanted *wanted);

/**
 * settings_switch() - switch recording into the ring on or off
 * @settings: the changes
 * @on: which
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int settings_switch(struct settings *settings, bool on);

/**
 * settings_restore() - put everything back, last change first
 * @settings: the changes; all zero is allowed
 *
 * Goes on after an error. Says what could not be put back.
 *
 * Return: 0 or the first -errno.
 */
int settings_restore(struct settings *settings);

#endif
