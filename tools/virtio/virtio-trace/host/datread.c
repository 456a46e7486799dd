// SPDX-License-Identifier: GPL-2.0-only
/* What is in a trace.dat of version 6: every length checked, nothing believed. */
#include "datread.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../msg.h"

/*
 * Theory of operation
 *
 * The file is read from front to back through a cursor that knows the file's
 * size: whatever length stands in it, no more is read, and texts that have to
 * be in memory have a bound of their own. Sub-buffers are not read here.
 */

#define KIB 1024u
#define MIB (1024u * KIB)

#define CPUS_MAX 4096u
#define FORMAT_MAX (256 * KIB)
#define FORMATS_MAX 65536u
#define HEADER_MAX (64 * KIB)
#define PRINTK_MAX (4 * MIB)
#define CMDLINES_MAX (2 * MIB)
#define CLOCK_MAX (4 * KIB)
#define STAT_MAX (4 * KIB)
#define PIECE (64 * KIB)
#define OFFSET_MAX (U64_MAX >> 1)

enum option_id { OPTION_DONE = 0, OPTION_CPUSTAT = 2, OPTION_BUFFER = 3, OPTION_TRACECLOCK = 4 };

struct cursor {
	const char *path;
	int fd;
	bool big_endian;
	bool told;
	u64 at, size;
};

/* For faults that can be named better than by a place in the file. */
static int __printf(3, 4) cursor_tell(struct cursor *c, int err, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	msg_err(0, "%s: %s", c->path, text);
	c->told = true;
	return -err;
}

static int cursor_bytes(struct cursor *c, void *to, size_t len)
{
	ssize_t n;

	if (len > c->size || c->at > c->size - len)
		return -EBADMSG;
	while (len) {
		n = pread(c->fd, to, len, c->at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EBADMSG;
		to = (char *)to + n;
		c->at += n;
		len -= n;
	}
	return 0;
}

static int cursor_number(struct cursor *c, unsigned int bytes, u64 *value)
{
	u64 raw = 0;
	int ret;

	ret = cursor_bytes(c, &raw, bytes);
	*value = c->big_endian ? be64toh(raw) >> (64 - 8 * bytes) : le64toh(raw);
	return ret;
}

static int cursor_skip(struct cursor *c, u64 len)
{
	if (len > c->size || c->at > c->size - len)
		return -EBADMSG;
	c->at += len;
	return 0;
}

/* A text behind its length, or of @len bytes when @length_bytes is 0; the caller frees it. */
static int cursor_text(struct cursor *c, unsigned int length_bytes, u64 len, u64 max, char **text)
{
	int ret = 0;

	if (length_bytes)
		ret = cursor_number(c, length_bytes, &len);
	if (ret)
		return ret;
	if (len > max || len > c->size)
		return -EFBIG;
	*text = malloc(len + 1);
	if (!*text)
		return -ENOMEM;
	ret = cursor_bytes(c, *text, len);
	if (ret)
		free(*text);
	else
		(*text)[len] = '\0';
	return ret;
}

/* A name that ends with NUL. */
static int cursor_name(struct cursor *c, char *name, size_t room)
{
	size_t len;
	int ret;

	for (len = 0; len < room; len++) {
		ret = cursor_bytes(c, name + len, 1);
		if (ret || !name[len])
			return ret;
	}
	return -EBADMSG;
}

static int cursor_expect(struct cursor *c, const char *name)
{
	char found[16];
	int ret;

	ret = cursor_name(c, found, sizeof(found));
	return ret ? ret : strcmp(found, name) ? -EBADMSG : 0;
}

static int read_magic(struct cursor *c)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char head[sizeof(magic) - 1], version[8];
	int ret;

	ret = cursor_bytes(c, head, sizeof(head));
	if (ret == -EBADMSG || (!ret && memcmp(head, magic, sizeof(head))))
		return cursor_tell(c, EBADMSG, "not a trace.dat");
	ret = ret ? ret : cursor_name(c, version, sizeof(version));
	if (!ret && strcmp(version, "6"))
		return cursor_tell(c, ENOTSUP,
				   "is of version %s, not 6: trace-cmd report reads it", version);
	return ret;
}

/* The head up to header_event: from here on the layout is known. */
static int read_head(struct cursor *c, struct datread *dr)
{
	u64 big_endian, long_size, page_size;
	char *text;
	int ret;

	ret = cursor_number(c, 1, &big_endian);
	c->big_endian = big_endian;
	ret = ret ? ret : cursor_number(c, 1, &long_size);
	ret = ret ? ret : cursor_number(c, 4, &page_size);
	ret = ret ? ret : cursor_expect(c, "header_page");
	ret = ret ? ret : cursor_text(c, 8, 0, HEADER_MAX, &text);
	if (ret)
		return ret;
	ret = subbuf_layout_parse(text, strlen(text), c->big_endian, &dr->layout);
	free(text);
	if (ret)
		return cursor_tell(c, EBADMSG, "header_page makes no sense");
	ret = cursor_expect(c, "header_event");
	ret = ret ? ret : cursor_text(c, 8, 0, HEADER_MAX, &text);
	if (!ret)
		free(text);
	return ret;
}

static int read_formats(struct cursor *c, struct datread *dr, const char *system)
{
	u64 count, i;
	char *text;
	int ret;

	ret = cursor_number(c, 4, &count);
	if (!ret && count > FORMATS_MAX)
		ret = -E2BIG;
	for (i = 0; !ret && i < count; i++) {
		ret = cursor_text(c, 8, 0, FORMAT_MAX, &text);
		if (ret)
			break;
		ret = decoder_add_format(dr->decoder, system, text);
		free(text);
	}
	return ret == -E2BIG ? cursor_tell(c, E2BIG, "more formats than any kernel has") : ret;
}

static int read_systems(struct cursor *c, struct datread *dr)
{
	char system[256];
	u64 count, i;
	int ret;

	ret = read_formats(c, dr, "ftrace");
	ret = ret ? ret : cursor_number(c, 4, &count);
	for (i = 0; !ret && i < count; i++) {
		ret = cursor_name(c, system, sizeof(system));
		ret = ret ? ret : read_formats(c, dr, system);
	}
	return ret ? ret : decoder_learn_formats(dr->decoder);
}

static int read_kallsyms(struct cursor *c, struct datread *dr)
{
	u64 left, len;
	char *piece;
	int ret;

	ret = cursor_number(c, 4, &left);
	if (ret)
		return ret;
	piece = malloc(PIECE);
	if (!piece)
		return -ENOMEM;
	for (; !ret && left; left -= len) {
		len = left < PIECE ? left : PIECE;
		ret = cursor_bytes(c, piece, len);
		ret = ret ? ret : decoder_add_symbols(dr->decoder, piece, len);
	}
	free(piece);
	return ret ? ret : decoder_add_symbols(dr->decoder, "\n", 1);
}

static int read_names(struct cursor *c, struct datread *dr)
{
	char *text;
	int ret;

	ret = cursor_text(c, 4, 0, PRINTK_MAX, &text);
	if (ret)
		return ret;
	ret = decoder_add_printk(dr->decoder, text);
	free(text);
	ret = ret ? ret : cursor_text(c, 8, 0, CMDLINES_MAX, &text);
	if (ret)
		return ret;
	ret = decoder_add_cmdlines(dr->decoder, text);
	free(text);
	return ret;
}

static int read_cpus(struct cursor *c, struct datread *dr)
{
	u64 cpus;
	int ret;

	ret = cursor_number(c, 4, &cpus);
	ret = ret ? ret : datread_add_cpus(dr, cpus);
	return ret == -ERANGE ? cursor_tell(c, EBADMSG, "%llu CPUs", cpus) : ret;
}

/* The texts come in the order of the CPUs: the n-th is CPU n's. */
static int read_cpustat(struct cursor *c, struct datread *dr, u64 size)
{
	char *text;
	int ret;
	u32 i;

	ret = cursor_text(c, 0, size, STAT_MAX, &text);
	if (ret)
		return ret;
	for (i = 0; i < dr->cpus && dr->cpu[i].stat; i++)
		;
	if (i < dr->cpus)
		dr->cpu[i].stat = text;
	else
		free(text);
	return 0;
}

static int read_options(struct cursor *c, struct datread *dr, bool *has_clock)
{
	u64 id, size;
	int ret;

	*has_clock = false;
	for (;;) {
		ret = cursor_number(c, 2, &id);
		if (ret || id == OPTION_DONE)
			return ret;
		ret = cursor_number(c, 4, &size);
		if (!ret && id == OPTION_CPUSTAT)
			ret = read_cpustat(c, dr, size);
		else if (!ret)
			ret = cursor_skip(c, size);
		if (ret)
			return ret;
		if (id == OPTION_TRACECLOCK)
			*has_clock = true;
		if (id == OPTION_BUFFER)
			msg_info("%s: the events of a further buffer are not shown", c->path);
	}
}

static int region_check(struct cursor *c, struct datread *dr, struct datread_cpu *cpu)
{
	if (cpu->offset > OFFSET_MAX || cpu->size > OFFSET_MAX)
		return -EBADMSG;
	if (!cpu->size || (cpu->offset <= c->size && cpu->size <= c->size - cpu->offset))
		return 0;
	msg_err(0, "%s: cpu%u: the file ends before the CPU's events do", c->path, cpu->cpu);
	dr->damaged = true;
	cpu->size = cpu->offset < c->size ? c->size - cpu->offset : 0;
	return 0;
}

static int read_table(struct cursor *c, struct datread *dr)
{
	struct datread_cpu *cpu;
	struct stat st;
	int ret = 0;

	for (cpu = dr->cpu; !ret && cpu < dr->cpu + dr->cpus; cpu++) {
		ret = cursor_number(c, 8, &cpu->offset);
		ret = ret ? ret : cursor_number(c, 8, &cpu->size);
		cpu->file = &dr->file[0];
	}
	/* The file may be growing: its size is what it is after the table. */
	if (!ret && !fstat(c->fd, &st))
		c->size = st.st_size;
	for (cpu = dr->cpu; !ret && cpu < dr->cpu + dr->cpus; cpu++)
		ret = region_check(c, dr, cpu);
	return ret;
}

void datread_clock(struct datread *dr, const char *text)
{
	static const char *const in_ns[] = {
		"local", "global", "perf", "mono", "mono_raw", "boot", "tai",
	};
	const char *begin = strchr(text, '[');
	size_t i, len;

	begin = begin ? begin + 1 : text;
	len = strcspn(begin, "]\n ");
	if (len >= sizeof(dr->clock))
		len = sizeof(dr->clock) - 1;
	memcpy(dr->clock, begin, len);
	dr->clock[len] = '\0';
	dr->ts_is_ns = false;
	for (i = 0; i < ARRAY_SIZE(in_ns); i++)
		if (!strcmp(dr->clock, in_ns[i]))
			dr->ts_is_ns = true;
}

static int read_tail(struct cursor *c, struct datread *dr)
{
	bool has_clock = false;
	char kind[10], *text;
	int ret;

	ret = cursor_bytes(c, kind, sizeof(kind));
	if (!ret && !memcmp(kind, "options  ", sizeof(kind))) {
		ret = read_options(c, dr, &has_clock);
		ret = ret ? ret : cursor_bytes(c, kind, sizeof(kind));
	}
	if (ret)
		return ret;
	if (!memcmp(kind, "latency  ", sizeof(kind)))
		return cursor_tell(c, ENOTSUP, "is a latency trace: trace-cmd report reads it");
	if (memcmp(kind, "flyrecord", sizeof(kind)))
		return -EBADMSG;
	ret = read_table(c, dr);
	if (ret || !has_clock)
		return ret;
	ret = cursor_text(c, 8, 0, CLOCK_MAX, &text);
	if (ret)
		return ret;
	datread_clock(dr, text);
	free(text);
	return 0;
}

static int read_all(struct cursor *c, struct datread *dr, bool plugins)
{
	int ret;

	ret = read_magic(c);
	ret = ret ? ret : read_head(c, dr);
	ret = ret ? ret : decoder_alloc(&dr->layout, plugins, &dr->decoder);
	ret = ret ? ret : read_systems(c, dr);
	ret = ret ? ret : read_kallsyms(c, dr);
	ret = ret ? ret : read_names(c, dr);
	ret = ret ? ret : read_cpus(c, dr);
	ret = ret ? ret : read_tail(c, dr);
	if (ret && !c->told)
		msg_err(ret, "%s: read up to byte %llu", c->path, c->at);
	return ret;
}

struct datread *datread_alloc(u32 files)
{
	struct datread *dr;

	dr = calloc(1, sizeof(*dr));
	if (!dr)
		return NULL;
	dr->file = calloc(files, sizeof(*dr->file));
	if (!dr->file) {
		free(dr);
		return NULL;
	}
	datread_clock(dr, "[local]");
	return dr;
}

int datread_add_file(struct datread *dr, const char *path, u64 *size)
{
	struct datread_file *file = &dr->file[dr->files];
	struct stat st;
	int ret;

	file->path = strdup(path);
	if (!file->path)
		return msg_err(ENOMEM, "%s", path);
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0 || fstat(file->fd, &st))
		ret = msg_err(errno, "%s", path);
	else if (!S_ISREG(st.st_mode))
		ret = msg_err(EINVAL, "%s: not a regular file", path);
	else
		ret = 0;
	dr->files++;
	if (!ret)
		*size = st.st_size;
	return ret;
}

int datread_add_cpus(struct datread *dr, u64 cpus)
{
	u32 i;

	if (!cpus || cpus > CPUS_MAX)
		return -ERANGE;
	dr->cpu = calloc(cpus, sizeof(*dr->cpu));
	if (!dr->cpu)
		return -ENOMEM;
	dr->cpus = cpus;
	for (i = 0; i < cpus; i++)
		dr->cpu[i].cpu = i;
	return 0;
}

int datread_open(const char *path, bool plugins, struct datread **out)
{
	struct cursor c = { .path = path };
	struct datread *dr;
	int ret;

	dr = datread_alloc(1);
	if (!dr)
		return msg_err(ENOMEM, "%s", path);
	ret = datread_add_file(dr, path, &c.size);
	c.fd = dr->file[0].fd;
	ret = ret ? ret : read_all(&c, dr, plugins);
	if (ret) {
		datread_close(dr);
		return ret;
	}
	*out = dr;
	return 0;
}

void datread_close(struct datread *dr)
{
	u32 i;

	if (!dr)
		return;
	for (i = 0; i < dr->cpus; i++)
		free(dr->cpu[i].stat);
	for (i = 0; i < dr->files; i++) {
		if (dr->file[i].fd >= 0)
			close(dr->file[i].fd);
		free(dr->file[i].path);
	}
	decoder_free(dr->decoder);
	free(dr->cpu);
	free(dr->file);
	free(dr);
}
