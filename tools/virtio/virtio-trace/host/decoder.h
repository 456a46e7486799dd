/* SPDX-License-Identifier: GPL-2.0-only */
/* From a guest's formats, symbols and records to text, by libtraceevent and with its bounds. */
#ifndef VIRTIO_TRACE_DECODER_H
#define VIRTIO_TRACE_DECODER_H

#include "../types.h"
#include "subbuf.h"

struct decoder;

/**
 * decoder_alloc() - a decoder that knows nothing yet
 * @layout: the guest's sub-buffers: byte order and size of a long
 * @plugins: load libtraceevent's plugins, as trace-cmd does
 * @out: the decoder; freed with decoder_free()
 *
 * Return: 0 or -ENOMEM.
 */
int decoder_alloc(const struct subbuf_layout *layout, bool plugins, struct decoder **out);

/**
 * decoder_free() - end what decoder_alloc() began
 * @dec: the decoder; NULL is allowed
 */
void decoder_free(struct decoder *dec);

/**
 * decoder_add_format() - take an event's format in
 * @dec: the decoder
 * @system: the event's system
 * @text: the format file's contents, NUL-terminated
 *
 * A format that makes no sense is no error: such events are printed field by
 * field, or by their number.
 *
 * Return: 0, -ENOMEM, -E2BIG when there is more of it than any kernel has.
 */
int decoder_add_format(struct decoder *dec, const char *system, const char *text);

/**
 * decoder_learn_formats() - parse the formats that were taken in
 * @dec: the decoder
 *
 * Return: 0 or -ENOMEM.
 */
int decoder_learn_formats(struct decoder *dec);

/**
 * decoder_add_symbols() - learn a piece of kallsyms
 * @dec: the decoder, void * to serve as a sink
 * @data: the piece; lines may go on in the next one, the last one ends with '\n'
 * @len: its length
 *
 * Symbols beyond the room there is for them are left out.
 *
 * Return: 0 or -ENOMEM.
 */
int decoder_add_symbols(void *dec, const void *data, size_t len);

/**
 * decoder_add_printk() - learn printk_formats
 * @dec: the decoder
 * @text: the file's contents, NUL-terminated; written to
 *
 * Return: 0 or -ENOMEM.
 */
int decoder_add_printk(struct decoder *dec, char *text);

/**
 * decoder_add_cmdlines() - learn saved_cmdlines
 * @dec: the decoder
 * @text: the file's contents, NUL-terminated; written to
 *
 * Return: 0 or -ENOMEM.
 */
int decoder_add_cmdlines(struct decoder *dec, char *text);

/**
 * decoder_select() - choose the events to be shown
 * @dec: the decoder, its formats learned
 * @pattern: "EVENT", "SYSTEM" or "SYSTEM:EVENT", with * and ? as in file names
 *
 * The first call hides every other event, further ones add to the choice.
 *
 * Return: the number of events that match.
 */
unsigned int decoder_select(struct decoder *dec, const char *pattern);

/**
 * decoder_shows() - is an event among the chosen ones?
 * @dec: the decoder
 * @event: the event
 *
 * Return: true if so, or if none were chosen.
 */
bool decoder_shows(const struct decoder *dec, const struct subbuf_event *event);

/**
 * struct decoder_style - how records are printed
 * @raw: field by field instead of by the event's print format
 * @ts_is_ns: the trace clock counts nanoseconds
 */
struct decoder_style {
	bool raw;
	bool ts_is_ns;
};

/**
 * decoder_text() - one record as a line
 * @dec: the decoder
 * @style: how
 * @cpu: the CPU it comes from
 * @event: the record
 * @len: length of the line
 *
 * Return: the line without newline, free of control characters; valid until the next call.
 */
const char *decoder_text(struct decoder *dec, const struct decoder_style *style, u32 cpu,
			 const struct subbuf_event *event, size_t *len);

#endif
