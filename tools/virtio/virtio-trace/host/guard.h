/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events libtraceevent may print without leaving their bytes or running wild. */
#ifndef VIRTIO_TRACE_GUARD_H
#define VIRTIO_TRACE_GUARD_H

#include <traceevent/event-parse.h>

#include "../types.h"

/* A record must be followed by zeros up to this size for what guard_allows() promises. */
#define GUARD_WINDOW (1024u * 1024)

/**
 * guard_format_sane() - may this format's text be given to the parser?
 * @text: the text, NUL-terminated
 *
 * The parser calls itself for each parenthesis and operator: a text that
 * nests or chains more of them than any kernel does would exhaust the stack.
 *
 * Return: true if so.
 */
bool guard_format_sane(const char *text);

/**
 * guard_fields_sane() - do all fields of an event lie within what an event can be?
 * @event: the event
 *
 * Return: true if so; a false one must not be asked for anything.
 */
bool guard_fields_sane(const struct tep_event *event);

/**
 * guard_allows() - may an event's print format be carried out?
 * @event: an event with sane fields
 * @data: the record, or NULL to ask for every possible one
 *
 * Not allowed are divisions by zero, indices, counts and widths that lead out
 * of the window or to texts of any length, and arguments of a kind that the
 * library does not check for.
 *
 * Return: true if so; otherwise the fields may still be printed one by one.
 */
bool guard_allows(const struct tep_event *event, const void *data);

/**
 * guard_printk_sane() - may this trace_printk() format be carried out?
 * @format: the format
 *
 * Return: true if its widths are small and none comes from the record.
 */
bool guard_printk_sane(const char *format);

#endif
