/* SPDX-License-Identifier: GPL-2.0-only */
/* A source that shows only the event systems a recording can hold. */
#ifndef VIRTIO_TRACE_SOURCE_ENABLED_H
#define VIRTIO_TRACE_SOURCE_ENABLED_H

#include "source.h"

/**
 * source_open_enabled() - hide the systems of which no event is enabled
 * @inner: the guest's files
 * @tracing: the tracing directory recorded from
 * @src: the same tree, but "tracing/events" lists only "ftrace", systems with an
 *	event enabled in @tracing now, and files
 *
 * A guest has some thousand events: asking for the formats of them all takes longer
 * than many a recording.
 *
 * Return: 0 or -errno.
 */
int source_open_enabled(struct source *inner, const char *tracing, struct source **src);

/**
 * source_close_enabled() - end what source_open_enabled() began, but not @inner
 * @src: the source; NULL is allowed
 */
void source_close_enabled(struct source *src);

#endif
