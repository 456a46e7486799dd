/* SPDX-License-Identifier: GPL-2.0-only */
/* Sub-buffers as a kernel of any byte order and word size would fill them, for tests. */
#ifndef VIRTIO_TRACE_SUBBUF_MAKE_H
#define VIRTIO_TRACE_SUBBUF_MAKE_H

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../host/subbuf.h"

#define MAKE_MISSED 0x80000000u
#define MAKE_STORED 0x40000000u

/* A sub-buffer being filled. */
struct make {
	struct subbuf_layout layout;
	u8 *subbuf;
	u32 pos;
};

static inline struct subbuf_layout make_layout(bool big_endian, u32 long_size, u32 size)
{
	return (struct subbuf_layout){
		.big_endian = big_endian,
		.size = size,
		.commit_offset = 8,
		.commit_size = long_size,
		.data_offset = 8 + long_size,
	};
}

static inline void make_put32(struct make *m, u32 at, u32 value)
{
	value = m->layout.big_endian ? htobe32(value) : htole32(value);
	memcpy(m->subbuf + at, &value, sizeof(value));
}

static inline void make_word(struct make *m, u32 value)
{
	make_put32(m, m->pos, value);
	m->pos += sizeof(value);
}

static inline void make_begin(struct make *m, const struct subbuf_layout *layout, u64 ts)
{
	m->layout = *layout;
	m->subbuf = calloc(1, layout->size);
	ts = layout->big_endian ? htobe64(ts) : htole64(ts);
	memcpy(m->subbuf, &ts, sizeof(ts));
	m->pos = layout->data_offset;
}

static inline void make_head(struct make *m, u32 type, u32 delta)
{
	make_word(m, m->layout.big_endian ? type << 27 | delta : type | delta << 5);
}

/* A data event with @words words of payload, of which the first is @first. */
static inline void make_event(struct make *m, u32 delta, u32 words, u32 first)
{
	make_head(m, words, delta);
	make_put32(m, m->pos, first);
	m->pos += 4 * words;
}

/* The same, its length in a word of its own, in bytes. */
static inline void make_long_event(struct make *m, u32 delta, u32 bytes)
{
	make_head(m, 0, delta);
	make_word(m, bytes + 4);
	m->pos += (bytes + 3) & ~3u;
}

static inline void make_extend(struct make *m, u64 delta)
{
	make_head(m, 30, delta & 0x7ffffff);
	make_word(m, delta >> 27);
}

static inline void make_stamp(struct make *m, u64 ts)
{
	make_head(m, 31, ts & 0x7ffffff);
	make_word(m, ts >> 27);
}

/* What a discarded event of @bytes bytes of payload leaves. */
static inline void make_padding(struct make *m, u32 delta, u32 bytes)
{
	make_head(m, 29, delta);
	make_word(m, bytes);
	m->pos += bytes - 4;
}

static inline void make_commit(struct make *m, u32 commit)
{
	u32 low = m->layout.big_endian ? m->layout.commit_size - 4 : 0;

	make_put32(m, m->layout.commit_offset + low, commit);
}

static inline void make_end(struct make *m, u32 flags, u32 missed)
{
	u32 low = m->layout.big_endian ? m->layout.commit_size - 4 : 0;

	make_commit(m, (m->pos - m->layout.data_offset) | flags);
	if (flags & MAKE_STORED)
		make_put32(m, m->pos + low, missed);
}

static inline void make_free(struct make *m)
{
	free(m->subbuf);
}

#endif
