/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's files made of nothing, for tests: one system with one event. */
#ifndef VIRTIO_TRACE_GUEST_FAKE_H
#define VIRTIO_TRACE_GUEST_FAKE_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../host/source.h"
#include "subbuf-make.h"

#define FAKE_EVENT_ID 777
#define FAKE_FORMAT \
	"name: seq\nID: 777\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:unsigned int number;\toffset:8;\tsize:4;\tsigned:0;\n\n" \
	"print fmt: \"number=%u\", REC->number\n"

/* A file of the fake guest; a NULL text is one that can't be read. */
struct fake_file {
	const char *path;
	const char *text;
};

struct fake {
	struct source src;
	char header_page[512];
	struct fake_file file[16];
	const char *odd_name;
};

static inline struct fake_file *fake_find(struct fake *fake, const char *path)
{
	struct fake_file *file;

	for (file = fake->file; file->path; file++)
		if (!strcmp(file->path, path))
			return file;
	return NULL;
}

static inline int fake_read(struct source *src, const char *path,
			    int (*sink)(void *to, const void *data, size_t len), void *to)
{
	struct fake_file *file = fake_find((struct fake *)src, path);
	size_t half;
	int ret;

	if (!file)
		return -ENOENT;
	if (!file->text)
		return -EIO;
	half = strlen(file->text) / 2;
	ret = sink(to, file->text, half);
	return ret ? ret : sink(to, file->text + half, strlen(file->text) - half);
}

static inline int fake_list(struct source *src, const char *path,
			    int (*name)(void *to, const char *entry, bool is_dir), void *to)
{
	struct fake *fake = (struct fake *)src;

	if (!strcmp(path, "tracing/events"))
		return name(to, "enable", false) ?: name(to, "test", true);
	if (strcmp(path, "tracing/events/test"))
		return -ENOENT;
	if (fake->odd_name)
		return name(to, fake->odd_name, true);
	return name(to, "vanished", true) ?: name(to, "seq", true);
}

static inline void fake_init(struct fake *fake, const struct subbuf_layout *layout)
{
	*fake = (struct fake){
		.src = { .read = fake_read, .list = fake_list },
		.file = {
			{ "tracing/events/header_page", fake->header_page },
			{ "tracing/events/header_event", "# compressed entry header\n" },
			{ "tracing/events/test/seq/format", FAKE_FORMAT },
			{ "tracing/saved_cmdlines", "12 worker\nnonsense\n13 other" },
			{ "tracing/trace_clock", "local [mono] boot\n" },
			{ "kallsyms", "ffffffff81000000 T _text\n" },
		},
	};
	snprintf(fake->header_page, sizeof(fake->header_page),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		 layout->commit_size, layout->data_offset, layout->size - layout->data_offset);
}

/* Fills a sub-buffer with @count events numbered from @number on, a time unit apart. */
static inline void fake_subbuf(struct make *m, const struct subbuf_layout *layout, u64 ts,
			       u32 count, u32 number)
{
	u32 i, at, type;

	make_begin(m, layout, ts);
	for (i = 0; i < count; i++) {
		at = m->pos;
		type = layout->big_endian ? FAKE_EVENT_ID << 16 : FAKE_EVENT_ID;
		make_event(m, 1000, 3, type);
		make_put32(m, at + 8, 12);
		make_put32(m, at + 12, number + i);
	}
	make_end(m, 0, 0);
}

#endif
