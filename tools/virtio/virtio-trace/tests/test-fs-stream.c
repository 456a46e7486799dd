// SPDX-License-Identifier: GPL-2.0-only
/* Is every message found in the byte stream, and a Tversion behind any wreck? */
#include <stdlib.h>

#include "../fs-limits.h"
#include "../fs-stream.h"
#include "tap.h"

#define MSIZE 8192
#define SEEN_MAX 64

/* What came out of the stream. */
struct seen {
	unsigned int count;
	u8 type[SEEN_MAX];
	size_t len[SEEN_MAX];
	u64 sum[SEEN_MAX];
};

static u64 sum(const u8 *data, size_t len)
{
	u64 h = 1;

	while (len--)
		h = h * 31 + *data++;
	return h;
}

/* Takes all messages there are; replies are garbage of some length. */
static void drain(struct fs_stream *st, struct seen *seen, bool dry)
{
	size_t len;

	while ((len = fs_stream_next(st, dry))) {
		if (seen->count < SEEN_MAX) {
			seen->type[seen->count] = st->buf[4];
			seen->len[seen->count] = len;
			seen->sum[seen->count++] = sum(st->buf, len);
		}
		memset(st->buf, 0xaa, 100);
		fs_stream_done(st, 100);
	}
}

/* What the server does with @len bytes that are there at once, read in pieces. */
static void feed(struct fs_stream *st, struct seen *seen, const u8 *data, size_t len,
		 size_t piece)
{
	size_t room;
	void *to;

	drain(st, seen, !len);
	while (len) {
		to = fs_stream_room(st, &room);
		if (room > piece)
			room = piece;
		if (room > len)
			room = len;
		memcpy(to, data, room);
		fs_stream_fed(st, room);
		data += room;
		len -= room;
		drain(st, seen, !len);
	}
}

static void quiet(struct fs_stream *st, struct seen *seen)
{
	if (!fs_stream_is_suspect(st))
		return;
	fs_stream_resync(st);
	drain(st, seen, true);
}

static size_t put_version(u8 *buf, u32 msize)
{
	return (size_t)p9_encode(&(struct p9_fcall){
		.type = P9_TVERSION, .tag = P9_NOTAG, .msize = msize,
		.version = p9_str(P9_VERSION_STRING),
	}, buf, MSIZE);
}

static size_t put_write(u8 *buf, const void *data, size_t len)
{
	return (size_t)p9_encode(&(struct p9_fcall){
		.type = P9_TWRITE, .tag = 3, .fid = 1, .data = { data, (u32)len },
	}, buf, MSIZE);
}

static size_t put_clunk(u8 *buf, u32 fid)
{
	return (size_t)p9_encode(&(struct p9_fcall){ .type = P9_TCLUNK, .fid = fid }, buf, MSIZE);
}

static bool last_is(const struct seen *seen, const u8 *msg, size_t len)
{
	return seen->count && seen->len[seen->count - 1] == len &&
	       seen->sum[seen->count - 1] == sum(msg, len);
}

static void stream_begin(struct fs_stream *st, struct seen *seen)
{
	fs_stream_reset(st);
	st->msize = MSIZE;
	memset(seen, 0, sizeof(*seen));
}

/* A long pipeline, read in pieces of every size, comes out as it went in. */
static void test_pieces(struct fs_stream *st)
{
	u8 all[4096], data[1000];
	size_t at[8], n = 0, len = 0, piece, i, bad = 0;
	struct seen seen;

	memset(data, 0x15, sizeof(data));
	for (i = 0; i < 7; i++) {
		at[n++] = len;
		if (i == 0)
			len += put_version(all + len, 1 << 16);
		else if (i % 2)
			len += put_clunk(all + len, 0x15000000);
		else
			len += put_write(all + len, data, i * 150);
	}
	at[n] = len;

	for (piece = 1; piece < len; piece += piece < 100 ? 1 : 97) {
		stream_begin(st, &seen);
		feed(st, &seen, all, len, piece);
		bad += seen.count != n;
		for (i = 0; i < n && i < seen.count; i++)
			bad += seen.sum[i] != sum(all + at[i], at[i + 1] - at[i]);
	}
	is(bad, 0, "a pipeline comes out as it went in");
}

/* The client vanishes behind every byte; the next one's Tversion arrives at once. */
static void test_cuts(struct fs_stream *st, const char *what, const u8 *msg, size_t len,
		      size_t piece)
{
	size_t cut, vlen, wrong = 0, deaf = 0, after = 0;
	u8 version[64], clunk[16];
	struct seen seen;

	vlen = put_version(version, 131072);
	put_clunk(clunk, 1);
	for (cut = 0; cut < len; cut++) {
		stream_begin(st, &seen);
		feed(st, &seen, msg, cut, piece);
		feed(st, &seen, version, vlen, piece);
		quiet(st, &seen);
		deaf += !last_is(&seen, version, vlen);
		wrong += seen.count > 1;
		feed(st, &seen, clunk, 11, piece);
		after += !last_is(&seen, clunk, 11);
	}
	is(deaf, 0, "%s cut behind each of %zu bytes: Tversion is heard", what, len);
	is(wrong, 0, "%s: no cut message is believed", what);
	is(after, 0, "%s: the session goes on", what);
}

/* The same, and the Tversion itself comes byte by byte. */
static void test_cuts_trickle(struct fs_stream *st, const u8 *msg, size_t len)
{
	size_t cut, vlen, i, deaf = 0;
	u8 version[64];
	struct seen seen;

	vlen = put_version(version, 131072);
	for (cut = 0; cut < len; cut++) {
		stream_begin(st, &seen);
		feed(st, &seen, msg, cut, MSIZE);
		for (i = 0; i < vlen; i++)
			feed(st, &seen, version + i, 1, 1);
		quiet(st, &seen);
		deaf += !last_is(&seen, version, vlen);
	}
	is(deaf, 0, "a Tversion in single bytes is heard behind every cut");
}

static void test_all_cuts(struct fs_stream *st)
{
	u8 msg[MSIZE], data[4000];
	struct p9_fcall walk = {
		.type = P9_TWALK, .tag = 1, .nwalk = 3, .wname[0] = p9_str("tracing"),
		.wname[1] = p9_str("events"), .wname[2] = p9_str("sched"),
	};
	size_t len, i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * 7);
	len = (size_t)p9_encode(&walk, msg, sizeof(msg));
	test_cuts(st, "Twalk", msg, len, MSIZE);
	test_cuts(st, "Twalk in pieces", msg, len, 5);
	test_cuts_trickle(st, msg, len);
	len = put_clunk(msg, 0x15);
	test_cuts(st, "Tclunk", msg, len, MSIZE);
	test_cuts_trickle(st, msg, len);
	len = put_write(msg, data, sizeof(data));
	test_cuts(st, "Twrite", msg, len, MSIZE);
	test_cuts_trickle(st, msg, len);
	memset(data, 0x15, sizeof(data));
	len = put_write(msg, data, sizeof(data));
	test_cuts(st, "Twrite of a byte that looks like a beginning", msg, len, MSIZE);
	len = put_version(msg, 131072);
	test_cuts(st, "Tversion", msg, len, MSIZE);
}

static void test_garbage(struct fs_stream *st)
{
	size_t round, len, i, vlen, deaf = 0;
	u8 garbage[300], version[64];
	struct seen seen;

	srand(1);
	vlen = put_version(version, 8192);
	for (round = 0; round < 20000; round++) {
		stream_begin(st, &seen);
		len = (size_t)rand() % sizeof(garbage);
		for (i = 0; i < len; i++)
			garbage[i] = (u8)(rand() % (round % 2 ? 256 : 22));
		feed(st, &seen, garbage, len, 1 + round % 90);
		feed(st, &seen, version, vlen, MSIZE);
		quiet(st, &seen);
		deaf += !last_is(&seen, version, vlen);
	}
	is(deaf, 0, "a Tversion behind garbage is heard");
}

/* Data that looks like a session's beginning, in a message that is none. */
static void test_payload(struct fs_stream *st)
{
	u8 msg[256], data[64] = { 0 }, clunk[16];
	struct seen seen;
	size_t len, piece, bad = 0, vlen, i;

	put_clunk(clunk, 9);
	vlen = put_version(data, 131072);
	len = put_write(msg, data, vlen + 1);
	for (piece = 1; piece < len; piece++) {
		stream_begin(st, &seen);
		feed(st, &seen, msg, len, piece);
		bad += !last_is(&seen, msg, len);
	}
	is(bad, 0, "a Tversion within data is data");

	for (i = 1, bad = 0; i < vlen; i++) {
		len = put_write(msg, data, i);
		stream_begin(st, &seen);
		feed(st, &seen, msg, len, MSIZE);
		bad += !last_is(&seen, msg, len);
		feed(st, &seen, clunk, 11, MSIZE);
		bad += !last_is(&seen, clunk, 11);
		memcpy(msg + len, clunk, 11);
		feed(st, &seen, msg, len + 11, MSIZE);
		bad += seen.count != 4 || !last_is(&seen, clunk, 11);
	}
	is(bad, 0, "data that ends with the beginning of one, too");
}

static void test_lost(struct fs_stream *st)
{
	static const u8 huge[4] = { 0xff, 0xff, 0xff, 0x7f }, tiny[4] = { 6, 0, 0, 0 };
	u8 clunk[16], version[64];
	struct seen seen;
	size_t vlen;

	put_clunk(clunk, 1);
	vlen = put_version(version, 8192);
	stream_begin(st, &seen);
	feed(st, &seen, huge, 4, 4);
	feed(st, &seen, clunk, 11, 11);
	is(seen.count, 0, "behind an impossible size nothing is believed");
	feed(st, &seen, version, vlen, 1);
	ok(last_is(&seen, version, vlen), "but a Tversion");
	feed(st, &seen, tiny, 4, 4);
	feed(st, &seen, version, vlen, vlen);
	ok(last_is(&seen, version, vlen), "behind a size below the header's as well");
	is(seen.count, 2, "each once");

	fs_stream_lose(st);
	feed(st, &seen, clunk, 11, 11);
	is(seen.count, 2, "told to be lost, it is");
	fs_stream_reset(st);
	feed(st, &seen, clunk, 11, 11);
	is(seen.count, 3, "until the connection ends");
	feed(st, &seen, clunk, 6, 6);
	fs_stream_reset(st);
	feed(st, &seen, clunk, 11, 11);
	ok(seen.count == 4 && last_is(&seen, clunk, 11), "which ends half a message too");
}

static void test_lend(struct fs_stream *st)
{
	u8 clunk[16], write[256], data[200] = { 0 };
	struct seen seen;
	size_t cut, len, bad = 0, lent = 0;

	put_clunk(clunk, 3);
	for (cut = 0; cut < 11; cut++) {
		stream_begin(st, &seen);
		feed(st, &seen, clunk, cut, 11);
		bad += !fs_stream_lend(st);
		memset(st->buf, 0xaa, 500);
		fs_stream_done(st, 500);
		feed(st, &seen, clunk + cut, 11 - cut, 11);
		bad += !last_is(&seen, clunk, 11);
	}
	is(bad, 0, "a reply may be built while a small message comes");

	len = put_write(write, data, sizeof(data));
	for (cut = 0; cut < len; cut++) {
		stream_begin(st, &seen);
		feed(st, &seen, write, cut, MSIZE);
		lent += fs_stream_lend(st);
		if (st->ahead_len)
			fs_stream_done(st, 0);
		feed(st, &seen, write + cut, len - cut, MSIZE);
		bad += !last_is(&seen, write, len);
	}
	is(bad, 0, "no byte is lost by it");
	ok(lent < 80, "but not while a big one comes");
}

static void test_trim(struct fs_stream *st)
{
	u8 clunk[16];
	struct seen seen;

	put_clunk(clunk, 3);
	stream_begin(st, &seen);
	feed(st, &seen, clunk, 5, 5);
	fs_stream_lend(st);
	memset(st->buf, 0xaa, P9_MSIZE_MAX);
	fs_stream_done(st, P9_MSIZE_MAX);
	fs_stream_trim(st);
	ok(st->used < 2 * FS_BUFFER_KEEP && !st->buf[P9_MSIZE_MAX - 1], "memory is given back");
	feed(st, &seen, clunk + 5, 6, 6);
	ok(last_is(&seen, clunk, 11), "but for what is in use");
}

int main(void)
{
	struct fs_stream st;

	is(fs_stream_open(&st), 0, "the buffer");
	test_pieces(&st);
	test_all_cuts(&st);
	test_garbage(&st);
	test_payload(&st);
	test_lost(&st);
	test_lend(&st);
	test_trim(&st);
	fs_stream_close(&st);
	return done();
}
