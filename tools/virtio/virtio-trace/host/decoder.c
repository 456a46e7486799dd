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
#include "trial.h"

/*
 * Theory of operation
 *
 * A record is copied to the front of a window of zeros before the library sees
 * it (guard.c says why); untouched pages of the window cost no memory. Formats
 * are parsed in a child process first: what the parser does not survive there
 * loses its print format. The library heeds print formats when it prints field
 * by field, too, so events that may not always be printed by theirs are known
 * to a second handle without it. What is learned from a guest is bounded in bytes.
 */

#define EVENT_IDS 65536u
#define RECORD_MAX 65536u
#define FORMATS_MAX (6u * 1024 * 1024)
#define FORMATS_PIECE 256
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

/* A format that has yet to be parsed. */
struct format {
	char *system;
	char *text;
	size_t head_len;
	enum guard_format usable;
};

struct decoder {
	struct tep_handle *tep;
	struct tep_handle *plain;
	struct tep_plugin_list *plugins;
	struct trace_seq seq;
	bool choosing;
	u8 *window;
	u32 window_used;
	struct format *formats;
	u32 format_count;
	size_t format_bytes, symbol_bytes;
	unsigned int cmdlines, printks;
	char line[SYMBOL_LINE];
	size_t line_len;
	u8 flags[EVENT_IDS];
};

static struct tep_handle *handle_alloc(const struct subbuf_layout *layout)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		return NULL;
	tep_set_file_bigendian(tep, layout->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(tep, layout->commit_size);
	tep_set_page_size(tep, layout->size);
	return tep;
}

int decoder_alloc(const struct subbuf_layout *layout, bool plugins, struct decoder **out)
{
	struct decoder *dec;

	dec = calloc(1, sizeof(*dec));
	if (!dec)
		return -ENOMEM;
	dec->window = mmap(NULL, GUARD_WINDOW, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (dec->window == MAP_FAILED)
		goto err_free;
	dec->tep = handle_alloc(layout);
	if (!dec->tep)
		goto err_unmap;
	dec->plain = handle_alloc(layout);
	if (!dec->plain)
		goto err_free_tep;

	tep_set_loglevel(TEP_LOG_NONE);
	if (plugins)
		dec->plugins = tep_load_plugins(dec->tep);
	trace_seq_init(&dec->seq);
	*out = dec;
	return 0;

err_free_tep:
	tep_free(dec->tep);
err_unmap:
	munmap(dec->window, GUARD_WINDOW);
err_free:
	free(dec);
	return -ENOMEM;
}

static void formats_free(struct decoder *dec)
{
	u32 i;

	for (i = 0; i < dec->format_count; i++) {
		free(dec->formats[i].system);
		free(dec->formats[i].text);
	}
	free(dec->formats);
	dec->formats = NULL;
	dec->format_count = 0;
}

void decoder_free(struct decoder *dec)
{
	if (!dec)
		return;
	formats_free(dec);
	trace_seq_destroy(&dec->seq);
	if (dec->plugins)
		tep_unload_plugins(dec->plugins, dec->tep);
	tep_free(dec->plain);
	tep_free(dec->tep);
	munmap(dec->window, GUARD_WINDOW);
	free(dec);
}

int decoder_add_format(struct decoder *dec, const char *system, const char *text)
{
	struct format *grown, format = { 0 };
	size_t len = strlen(text);

	if (len > FORMATS_MAX - dec->format_bytes)
		return -E2BIG;
	format.usable = guard_format(text, &format.head_len);
	if (format.usable == GUARD_NOTHING)
		return 0;
	if (!(dec->format_count % FORMATS_PIECE)) {
		grown = realloc(dec->formats,
				(dec->format_count + FORMATS_PIECE) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		dec->formats = grown;
	}
	format.system = strdup(system);
	format.text = strdup(text);
	dec->formats[dec->format_count++] = format;
	dec->format_bytes += len;
	return format.system && format.text ? 0 : -ENOMEM;
}

/* Gives a text to the parser; without its print format if only the fields are wanted. */
static struct tep_event *format_parse(struct tep_handle *tep, const struct format *format,
				      enum guard_format wanted)
{
	const char *text = format->text;
	struct tep_event *event = NULL;
	char *fields = NULL;
	int count;

	if (wanted == GUARD_FIELDS) {
		if (asprintf(&fields, "%.*s\"\n", (int)format->head_len, text) < 0)
			return NULL;
		text = fields;
	}
	count = tep_get_events_count(tep);
	tep_parse_format(tep, &event, text, strlen(text), format->system);
	free(fields);
	if (!event || tep_get_events_count(tep) == count)
		return NULL;
	if (wanted == GUARD_FIELDS)
		event->flags |= TEP_EVENT_FL_PRINTRAW;
	return event;
}

static void format_try(void *to, u32 i)
{
	struct decoder *dec = to;

	format_parse(dec->tep, &dec->formats[i], dec->formats[i].usable);
}

static void format_learn(struct decoder *dec, const struct format *format)
{
	struct tep_event *event = format_parse(dec->tep, format, format->usable);

	if (!event)
		return;
	dec->flags[event->id] |= EVENT_KNOWN;
	if (guard_allows(event, NULL))
		dec->flags[event->id] |= EVENT_SAFE;
	else
		format_parse(dec->plain, format, GUARD_FIELDS);
}

int decoder_learn_formats(struct decoder *dec)
{
	bool *fatal;
	u32 i;

	fatal = calloc(dec->format_count + 1, sizeof(*fatal));
	if (!fatal)
		return -ENOMEM;
	trial_run(dec->format_count, format_try, dec, fatal);
	for (i = 0; i < dec->format_count; i++) {
		if (fatal[i])
			dec->formats[i].usable = GUARD_FIELDS;
		format_learn(dec, &dec->formats[i]);
	}
	free(fatal);
	formats_free(dec);
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
	char brief[5];
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
	/* The library looks up to four characters back from the end. */
	if (to - at < 4) {
		snprintf(brief, sizeof(brief), "%-4s", at);
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

/* The event's number, its field common_type; or one that no event has. */
static u32 event_id(const struct decoder *dec, const struct subbuf_event *event)
{
	if (event->len < sizeof(u16))
		return EVENT_IDS;
	return tep_read_number(dec->tep, event->data, sizeof(u16));
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
	bool allowed = dec->flags[id] & EVENT_SAFE || guard_allows(event, record->data);
	struct tep_event *plain = allowed ? NULL : tep_find_event(dec->plain, id);

	record->size = record_size(event, record->size);
	tep_print_event(dec->tep, seq, record, "%16s-%-5d [%03d]", TEP_PRINT_COMM,
			TEP_PRINT_PID, TEP_PRINT_CPU);
	tep_print_event(dec->tep, seq, record, style->ts_is_ns ? " %6.1000d: " : "%d: ",
			TEP_PRINT_TIME);
	trace_seq_printf(seq, "%s:%*s", event->name,
			 name_len < NAME_COLUMN ? (int)(NAME_COLUMN - name_len) : 0, "");
	if (allowed)
		tep_print_event(dec->tep, seq, record, " %s",
				style->raw ? TEP_PRINT_INFO_RAW : TEP_PRINT_INFO);
	else if (plain)
		tep_print_fields(seq, record->data, record->size, plain);
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
