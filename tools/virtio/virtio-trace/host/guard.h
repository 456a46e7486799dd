/* SPDX-License-Identifier: GPL-2.0-only */
/* Which events libtraceevent may print without leaving their bytes or running wild. */
#ifndef VIRTIO_TRACE_GUARD_H
#define VIRTIO_TRACE_GUARD_H

#include <traceevent/event-parse.h>

#include "../types.h"

/* A record must be followed by zeros up to this size for what guard_allows() promises. */
#define GUARD_WINDOW (1024u * 1024)

/* No event is longer than a sub-buffer of 64 KiB: no field ends behind this. */
#define GUARD_FIELD_MAX 65535

/**
 * enum guard_format - what of a format's text may be given to the parser
 * @GUARD_NOTHING: nothing
 * @GUARD_FIELDS: what stands before the print format
 * @GUARD_ALL: everything
 */
enum guard_format { GUARD_NOTHING, GUARD_FIELDS, GUARD_ALL };

/**
 * guard_format() - what of this format may be given to the parser?
 * @text: the text, NUL-terminated
 * @head_len: bytes up to the print format's first letter
 *
 * The lines before the print format must be as the kernel writes them: of
 * others the parser frees what it still uses. In the print format it seeks the
 * end of a quoted text for ever, believes that each field named is there, and
 * calls itself for each parenthesis and operator, so that what nests or chains
 * more of them than any kernel does would exhaust the stack.
 *
 * Return: see enum guard_format.
 */
enum guard_format guard_format(const char *text, size_t *head_len);

/**
 * guard_conversion_skip() - step over a conversion of a format such as "%-*s"
 * @at: the '%'
 * @stars: number of widths and precisions that come from arguments
 * @small: those that stand in the format are small
 *
 * Return: where the conversion's letter is; the end of the text if there is none.
 */
const char *guard_conversion_skip(const char *at, unsigned int *stars, bool *small);

/**
 * guard_allows() - may an event's print format be carried out?
 * @event: an event whose format's text was sane
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
