// SPDX-License-Identifier: GPL-2.0-only
/* The sub-buffers and events of one CPU, one after the other, from a recorded trace. */
#include "stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../msg.h"

/* A file full of garbage must not fill the terminal. */
#define BAD_TOLD_MAX 5

void stream_init(struct stream *st, struct datread *dr, const struct datread_cpu *cpu)
{
	*st = (struct stream){ .dr = dr, .cpu = cpu, .at = U64_MAX };
}

static void stream_tell(struct stream *st, int err, const char *what)
{
	st->dr->damaged = true;
	if (st->bad++ < BAD_TOLD_MAX)
		msg_err(err, "%s: cpu%u: byte %llu: %s", st->cpu->file->path, st->cpu->cpu,
			st->cpu->offset + st->at, what);
}

/* How much of the present sub-buffer the file has: the last one may be cut. */
static u32 subbuf_len(const struct stream *st)
{
	u64 left = st->cpu->size - st->at;

	return left < st->dr->layout.size ? left : st->dr->layout.size;
}

static int subbuf_load(struct stream *st)
{
	u32 len = subbuf_len(st), done;
	ssize_t n;

	for (done = 0; done < len; done += n) {
		n = pread(st->cpu->file->fd, st->subbuf + done, len - done,
			  st->cpu->offset + st->at + done);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? -errno : -ENODATA;
	}
	if (len < st->dr->layout.size && subbuf_cut(&st->dr->layout, st->subbuf, len) < 0)
		return -EBADMSG;
	st->loaded = true;
	return 0;
}

int stream_next_subbuf(struct stream *st)
{
	const struct subbuf_layout *layout = &st->dr->layout;
	int ret;

	st->loaded = false;
	st->at = st->at == U64_MAX ? 0 : st->at + layout->size;
	if (st->at >= st->cpu->size)
		return 0;
	ret = subbuf_load(st);
	if (ret == -EBADMSG) {
		stream_tell(st, 0, "too short for a sub-buffer");
		return 0;
	}
	if (ret) {
		stream_tell(st, ret, "read");
		return 0;
	}
	ret = subbuf_scan(layout, st->subbuf, &st->info);
	if (ret)
		stream_tell(st, 0, "bad sub-buffer, left out from the fault on");
	st->missed += st->info.missed;
	st->missed_uncounted |= st->info.missed_uncounted;
	subbuf_first(layout, st->subbuf, &st->iter);
	return 1;
}

int stream_next(struct stream *st)
{
	if (st->loaded) {
		st->missed = 0;
		st->missed_uncounted = false;
	}
	while (!st->loaded || subbuf_next(&st->iter, &st->event) <= 0)
		if (!stream_next_subbuf(st))
			return 0;
	return 1;
}

bool stream_reload(struct stream *st)
{
	u32 event_at = (const u8 *)st->event.data - st->iter.data;

	if (st->loaded)
		return true;
	if (subbuf_load(st)) {
		stream_tell(st, 0, "sub-buffer is gone");
		return false;
	}
	st->iter.data = st->subbuf + st->dr->layout.data_offset;
	st->event.data = st->iter.data + event_at;
	return true;
}

u8 *stream_unload(struct stream *st)
{
	u8 *memory = st->subbuf;

	st->subbuf = NULL;
	st->loaded = false;
	return memory;
}

void stream_end(const struct stream *st)
{
	if (st->bad > BAD_TOLD_MAX)
		msg_err(0, "%s: cpu%u: %llu bad sub-buffers in all", st->cpu->file->path,
			st->cpu->cpu, st->bad);
}
