// SPDX-License-Identifier: GPL-2.0-only
/* From a guest's formats, symbols and records to text, by libtraceevent and with its bounds. */
#include "decoder.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

#include "guard.h"

/*
 * Theory of operation
 *
 * A record is copied to the front of a window of zeros before the library sees
 * it (guard.c says why); untouched pages of the window cost no memory. What is
 * learned from a guest is bounded in bytes, so that a decoder stays below 48 MiB.
 */

#define EVENT_IDS 65536u
#define RECORD_MAX 65536u
#define FORMATS_MAX (12u * 1024 * 1024)
#define SYMBOLS_MAX (32u * 1024 * 1024)
#define SYMBOL_COST 96
#define SYMBOL_LINE 1024
#define PRINTK_MAX 65536u
#define CMDLINES_MAX 65536u
#define NAME_COLUMN 20

enum event_flag {
	EVENT_KNOWN = 1,
	EVENT_SAFE = 2,		/* whatever the record holds */
	EVENT_CHOSEN = 4,
};

struct decoder {
	struct tep_handle *tep;
	struct tep_plugin_list *plugins;
	struct trace_seq seq;
	bool big_endian;
	bool choosing;
	const struct tep_format_field *type;
	u8 *window;
	u32 window_used;
	size_t format_bytes, symbol_bytes;
	unsigned int cmdlines, printks;
	char line[SYMBOL_LINE];
	size_t line_len;
	u8 flags[EVENT_IDS];
};

int decoder_alloc(const struct subbuf_layout *layout, bool plugins, struct decoder **out)
{
	struct decoder *dec;

	dec = calloc(1, sizeof(*dec));
	if (!dec)
		return -ENOMEM;
	dec->big_endian = layout->big_endian;
	dec->window = mmap(NULL, GUARD_WINDOW, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (dec->window == MAP_FAILED)
		goto err_free;
	dec->tep = tep_alloc();
	if (!dec->tep)
		goto err_unmap;

	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(dec->tep, layout->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(dec->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(dec->tep, layout->commit_size);
	tep_set_page_size(dec->tep, layout->size);
	if (plugins)
		dec->plugins = tep_load_plugins(dec->tep);
	trace_seq_init(&dec->seq);
	*out = dec;
	return 0;

err_unmap:
	munmap(dec->window, GUARD_WINDOW);
err_free:
	free(dec);
	return -ENOMEM;
}

void decoder_free(struct decoder *dec)
{
	if (!dec)
		return;
	trace_seq_destroy(&dec->seq);
	if (dec->plugins)
		tep_unload_plugins(dec->plugins, dec->tep);
	tep_free(dec->tep);
	munmap(dec->window, GUARD_WINDOW);
	free(dec);
}

/* Where a record's event number is, is the same for all events of a kernel. */
static void type_learn(struct decoder *dec, struct tep_event *event)
{
	const struct tep_format_field *type = tep_find_common_field(event, "common_type");

	if (!dec->type && type && (type->size == 2 || type->size == 4))
		dec->type = type;
}

int decoder_add_format(struct decoder *dec, const char *system, const char *text)
{
	struct tep_event *event = NULL;
	int count = tep_get_events_count(dec->tep);
	size_t len = strlen(text);

	if (len > FORMATS_MAX - dec->format_bytes)
		return -E2BIG;
	dec->format_bytes += len;
	if (!guard_format_sane(text))
		return -EBADMSG;
	tep_parse_format(dec->tep, &event, text, len, system);
	if (!event || tep_get_events_count(dec->tep) == count)
		return 0;
	if (!guard_fields_sane(event))
		return -EBADMSG;
	type_learn(dec, event);
	if (event->id >= 0 && event->id < (int)EVENT_IDS)
		dec->flags[event->id] |= EVENT_KNOWN | (guard_allows(event, NULL) ? EVENT_SAFE : 0);
	return 0;
}

/* "address type name\t[module]"; a symbol at 0 is one that was hidden from the reader. */
static int symbol_add(struct decoder *dec, char *line)
{
	char *at, *name, *module;
	u64 address;

	address = strtoull(line, &at, 16);
	if (!address || at == line || *at != ' ' || !at[1] || at[2] != ' ' || at[3] == '$')
		return 0;
	name = at + 3;
	module = strchr(name, '\t');
	if (module) {
		*module++ = '\0';
		module += *module == '[';
		module[strcspn(module, "]")] = '\0';
	}
	dec->symbol_bytes += strlen(name) + (module ? strlen(module) : 0) + SYMBOL_COST;
	if (dec->symbol_bytes > SYMBOLS_MAX)
		return 0;
	return tep_register_function(dec->tep, name, address, module) ? -ENOMEM : 0;
}

int decoder_add_symbols(void *to, const void *data, size_t len)
{
	struct decoder *dec = to;
	const char *at = data;
	size_t i, room;
	int ret = 0;

	for (i = 0; !ret && i < len; i++) {
		room = sizeof(dec->line) - 1 - dec->line_len;
		if (at[i] != '\n') {
			if (room)
				dec->line[dec->line_len++] = at[i];
			continue;
		}
		dec->line[dec->line_len] = '\0';
		dec->line_len = 0;
		ret = symbol_add(dec, dec->line);
	}
	return ret;
}

/* "0xaddress : "format"": the quotes and what is escaped in between are undone. */
static int printk_add(struct decoder *dec, char *line)
{
	char *at, *to, *from;
	char brief[4];
	u64 address;

	address = strtoull(line, &at, 16);
	at = strchr(at, '"');
	if (!at || dec->printks == PRINTK_MAX)
		return 0;
	for (to = from = ++at; *from && (*from != '"' || from[1]); from++) {
		if (*from == '\\' && from[1] == 'n' && !strcmp(from + 2, "\""))
			break;
		if (*from == '\\' && (from[1] == '"' || from[1] == '\\'))
			from++;
		*to++ = *from;
	}
	*to = '\0';
	if (!guard_printk_sane(at))
		return 0;
	/* The library looks three characters back from the end. */
	if (to - at < 3) {
		snprintf(brief, sizeof(brief), "%-3s", at);
		at = brief;
	}
	dec->printks++;
	return tep_register_print_string(dec->tep, at, address) ? -ENOMEM : 0;
}

int decoder_add_printk(struct decoder *dec, char *text)
{
	char *line;
	int ret = 0;

	while (!ret && (line = strsep(&text, "\n")))
		ret = printk_add(dec, line);
	return ret;
}

int decoder_add_cmdlines(struct decoder *dec, char *text)
{
	char *line, *name;
	long pid;

	while ((line = strsep(&text, "\n"))) {
		pid = strtol(line, &name, 10);
		if (name == line || *name != ' ' || !name[1] || pid != (int)pid)
			continue;
		if (dec->cmdlines++ == CMDLINES_MAX)
			break;
		/* A task named twice keeps its first name. */
		if (tep_register_comm(dec->tep, name + 1, pid) && errno == ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static bool event_matches(const struct tep_event *event, const char *pattern)
{
	char both[512];

	snprintf(both, sizeof(both), "%s:%s", event->system, event->name);
	return !fnmatch(pattern, event->system, 0) || !fnmatch(pattern, event->name, 0) ||
	       !fnmatch(pattern, both, 0);
}

unsigned int decoder_select(struct decoder *dec, const char *pattern)
{
	unsigned int matches = 0;
	struct tep_event *event;
	int i;

	dec->choosing = true;
	for (i = 0; i < tep_get_events_count(dec->tep); i++) {
		event = tep_get_event(dec->tep, i);
		if (event->id < 0 || event->id >= (int)EVENT_IDS || !event_matches(event, pattern))
			continue;
		dec->flags[event->id] |= EVENT_CHOSEN;
		matches++;
	}
	return matches;
}

/* The event's number, or one that no event has. */
static u32 event_id(const struct decoder *dec, const struct subbuf_event *event)
{
	const struct tep_format_field *type = dec->type;
	unsigned long long id;

	if (!type || (u32)(type->offset + type->size) > event->len)
		return EVENT_IDS;
	id = tep_read_number(dec->tep, (const u8 *)event->data + type->offset, type->size);
	return id < EVENT_IDS ? id : EVENT_IDS;
}

bool decoder_shows(const struct decoder *dec, const struct subbuf_event *event)
{
	u32 id;

	if (!dec->choosing)
		return true;
	id = event_id(dec, event);
	return id < EVENT_IDS && dec->flags[id] & EVENT_CHOSEN;
}

/* Puts the record into the window, zeros behind it. */
static void window_fill(struct decoder *dec, const struct subbuf_event *event,
			struct tep_record *record)
{
	u32 len = event->len < RECORD_MAX ? event->len : RECORD_MAX;

	if (dec->window_used > len)
		memset(dec->window + len, 0, dec->window_used - len);
	memcpy(dec->window, event->data, len);
	dec->window_used = len;
	record->data = dec->window;
	record->size = len;
}

/* The library takes a field without size for the rest: it must not begin behind the end. */
static int record_size(const struct tep_event *event, int size)
{
	const struct tep_format_field *field;

	for (field = event->format.fields; field; field = field->next)
		if (field->offset > size)
			size = field->offset;
	return size;
}

static void text_of_known(struct decoder *dec, const struct decoder_style *style,
			  struct tep_record *record, u32 id)
{
	struct tep_event *event = tep_find_event(dec->tep, id);
	struct trace_seq *seq = &dec->seq;
	size_t name_len = strlen(event->name);
	bool raw = style->raw;

	if (!raw && !(dec->flags[id] & EVENT_SAFE))
		raw = !guard_allows(event, record->data);
	record->size = record_size(event, record->size);
	tep_print_event(dec->tep, seq, record, "%16s-%-5d [%03d] ", TEP_PRINT_COMM,
			TEP_PRINT_PID, TEP_PRINT_CPU);
	tep_print_event(dec->tep, seq, record, style->ts_is_ns ? "%6.1000d: " : "%d: ",
			TEP_PRINT_TIME);
	trace_seq_printf(seq, "%s:%*s", event->name,
			 name_len < NAME_COLUMN ? (int)(NAME_COLUMN - name_len) : 0, "");
	tep_print_event(dec->tep, seq, record, " %s",
			raw ? TEP_PRINT_INFO_RAW : TEP_PRINT_INFO);
}

/* A guest's words must not speak to the terminal, nor begin a new line. */
static const char *text_clean(struct decoder *dec, size_t *len)
{
	char *text = dec->seq.buffer;
	size_t i;

	if (dec->seq.state != TRACE_SEQ__GOOD) {
		*len = strlen("[too long]");
		return "[too long]";
	}
	*len = dec->seq.len;
	while (*len && text[*len - 1] == '\n')
		--*len;
	for (i = 0; i < *len; i++)
		if (((u8)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
			text[i] = '?';
	return text;
}

const char *decoder_text(struct decoder *dec, const struct decoder_style *style, u32 cpu,
			 const struct subbuf_event *event, size_t *len)
{
	struct tep_record record = { .ts = event->ts, .cpu = cpu };
	u32 id = event_id(dec, event);

	trace_seq_reset(&dec->seq);
	window_fill(dec, event, &record);
	if (id < EVENT_IDS && dec->flags[id] & EVENT_KNOWN)
		text_of_known(dec, style, &record, id);
	else
		trace_seq_printf(&dec->seq, "%22s [%03u] %llu: [UNKNOWN EVENT %u] %u bytes", "",
				 cpu, event->ts, id, event->len);
	return text_clean(dec, len);
}
