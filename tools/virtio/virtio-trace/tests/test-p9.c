// SPDX-License-Identifier: GPL-2.0-only
/* Do 9P messages survive the way to bytes and back, and are bad bytes refused? */
#include <errno.h>
#include <string.h>

#include "../p9.h"
#include "tap.h"

static const u8 types[] = {
	P9_RLERROR, P9_TSTATFS, P9_RSTATFS, P9_TLOPEN, P9_RLOPEN, P9_TLCREATE, P9_RLCREATE,
	P9_TGETATTR, P9_RGETATTR, P9_TSETATTR, P9_RSETATTR, P9_TXATTRWALK, P9_RXATTRWALK,
	P9_TREADDIR, P9_RREADDIR, P9_TFSYNC, P9_RFSYNC, P9_TMKDIR, P9_RMKDIR, P9_TUNLINKAT,
	P9_RUNLINKAT, P9_TVERSION, P9_RVERSION, P9_TATTACH, P9_RATTACH, P9_TFLUSH, P9_RFLUSH,
	P9_TWALK, P9_RWALK, P9_TREAD, P9_RREAD, P9_TWRITE, P9_RWRITE, P9_TCLUNK, P9_RCLUNK,
};

/* A message whose every member differs from its neighbours'. */
static void fcall_fill(struct p9_fcall *fc, u8 type)
{
	unsigned int i;
	u8 *byte = (u8 *)fc;

	for (i = 0; i < sizeof(*fc); i++)
		byte[i] = (u8)(i * 37 + type);
	fc->type = type;
	fc->version = p9_str(P9_VERSION_STRING);
	fc->uname = p9_str("root");
	fc->aname = p9_str("");
	fc->name = p9_str("set_event");
	fc->data = (struct p9_str){ .s = "a\0/b", .len = 4 };
	fc->nwalk = 3;
	fc->wname[0] = p9_str("tracing");
	fc->wname[1] = p9_str("..");
	fc->wname[2] = p9_str("x");
}

static void test_round_trip(u8 type)
{
	struct p9_fcall in, out, again;
	u8 buf[1024], copy[1024], exact[1024];
	int len, i, accepted = 0;

	fcall_fill(&in, type);
	len = p9_encode(&in, buf, sizeof(buf));
	if (!ok(len >= P9_HEADER_SIZE, "type %u encodes", type))
		return;
	is(p9_peek_size(buf), len, "type %u: size field", type);
	is(p9_decode(buf, len, &out), 0, "type %u decodes", type);
	is(out.tag, in.tag, "type %u: tag", type);
	is(p9_encode(&out, copy, sizeof(copy)), len, "type %u encodes again", type);
	ok(!memcmp(buf, copy, len), "type %u: same bytes", type);
	p9_decode(buf, len, &again);
	ok(!memcmp(&out, &again, sizeof(out)), "type %u: same message", type);
	is(p9_encode(&in, exact, len), len, "type %u fits exactly", type);
	is(p9_encode(&in, exact, len - 1), -EMSGSIZE, "type %u: one byte too few", type);

	for (i = 0; i < len; i++)
		accepted += p9_decode(buf, i, &out) != -EBADMSG;
	for (i = P9_HEADER_SIZE; i < len; i++) {
		memcpy(copy, buf, i);
		copy[0] = (u8)i;
		copy[1] = (u8)(i >> 8);
		accepted += p9_decode(copy, i, &out) != -EBADMSG;
	}
	is(accepted, 0, "type %u: every cut is refused", type);
}

static void test_members(void)
{
	struct p9_fcall in, out;
	u8 buf[1024];
	int len;

	fcall_fill(&in, P9_TWALK);
	len = p9_encode(&in, buf, sizeof(buf));
	p9_decode(buf, len, &out);
	ok(out.fid == in.fid && out.newfid == in.newfid, "Twalk: fids");
	ok(out.nwalk == 3 && p9_str_is(out.wname[0], "tracing") && p9_str_is(out.wname[2], "x"),
	   "Twalk: names");

	fcall_fill(&in, P9_RWALK);
	len = p9_encode(&in, buf, sizeof(buf));
	p9_decode(buf, len, &out);
	is(out.wqid[2].path, in.wqid[2].path, "Rwalk: the last qid");

	fcall_fill(&in, P9_RGETATTR);
	len = p9_encode(&in, buf, sizeof(buf));
	p9_decode(buf, len, &out);
	ok(in.attr.gid == out.attr.gid && in.attr.nlink == out.attr.nlink &&
	   in.attr.data_version == out.attr.data_version, "Rgetattr: attributes");

	fcall_fill(&in, P9_TWRITE);
	len = p9_encode(&in, buf, sizeof(buf));
	p9_decode(buf, len, &out);
	ok(out.offset == in.offset && out.data.len == 4 && !memcmp(out.data.s, "a\0/b", 4),
	   "Twrite: offset and data with NUL and '/'");
}

/* The bytes Linux 6.12 sends first, msize aside. */
static void test_wire(void)
{
	static const u8 wire[] = "\x15\0\0\0\x64\xff\xff\0\0\2\0\10\0009P2000.L";
	struct p9_fcall fc;
	u8 buf[64];

	is(p9_decode(wire, sizeof(wire) - 1, &fc), 0, "Tversion as Linux sends it");
	ok(fc.tag == P9_NOTAG && fc.msize == 131072 && p9_str_is(fc.version, "9P2000.L"),
	   "its members");
	is(p9_encode(&fc, buf, sizeof(buf)), sizeof(wire) - 1, "its length");
	ok(!memcmp(buf, wire, sizeof(wire) - 1), "its bytes");
}

static void test_in_place(void)
{
	struct p9_fcall fc = { .type = P9_RREAD, .tag = 1 };
	char buf[64];

	memcpy(buf + P9_HEADER_SIZE + 4, "data", 4);
	fc.data = (struct p9_str){ .s = buf + P9_HEADER_SIZE + 4, .len = 4 };
	is(p9_encode(&fc, buf, sizeof(buf)), P9_HEADER_SIZE + 8, "data already in place");
	ok(!memcmp(buf + P9_HEADER_SIZE, "\4\0\0\0data", 8), "is left there");
}

static int mkdir_decode(const char *name, u16 len)
{
	char buf[64] = { P9_HEADER_SIZE + 4 + 2 + 4 + 4, 0, 0, 0, P9_TMKDIR };
	struct p9_fcall fc;

	buf[0] += len;
	buf[P9_HEADER_SIZE + 4] = len;
	memcpy(buf + P9_HEADER_SIZE + 6, name, len);
	return p9_decode(buf, buf[0], &fc);
}

static void test_names(void)
{
	struct p9_fcall fc = { .type = P9_TMKDIR, .name = p9_str("a/b") };
	char buf[64];

	is(mkdir_decode("inst", 4), 0, "an ordinary name");
	is(mkdir_decode("", 0), -EBADMSG, "an empty name");
	is(mkdir_decode("a/b", 3), -EBADMSG, "a name with '/'");
	is(mkdir_decode("a\0b", 3), -EBADMSG, "a name with NUL");
	is(p9_encode(&fc, buf, sizeof(buf)), -EINVAL, "a bad name is not sent");
}

static void test_longest_walk(u8 type)
{
	struct p9_fcall in, out;
	u8 buf[1024];
	int len, i;

	fcall_fill(&in, type);
	in.nwalk = P9_WALK_MAX;
	for (i = 0; i < P9_WALK_MAX; i++)
		in.wname[i] = p9_str("deeper");
	len = p9_encode(&in, buf, sizeof(buf));
	is(p9_decode(buf, len, &out), 0, "type %u: as many names as there may be", type);
	is(out.nwalk, P9_WALK_MAX, "type %u: are all there", type);
	if (type == P9_TWALK)
		ok(p9_str_is(out.wname[P9_WALK_MAX - 1], "deeper"), "with the last one");
	else
		is(out.wqid[P9_WALK_MAX - 1].path, in.wqid[P9_WALK_MAX - 1].path,
		   "with the last one");
}

static void test_bad(void)
{
	u8 walk[P9_HEADER_SIZE + 10 + 17 * 3] = { sizeof(walk), 0, 0, 0, P9_TWALK };
	u8 unknown[P9_HEADER_SIZE] = { P9_HEADER_SIZE, 0, 0, 0, 250, 0x34, 0x12 };
	u8 write[P9_HEADER_SIZE + 16] = { sizeof(write), 0, 0, 0, P9_TWRITE };
	struct p9_fcall fc = { .type = 250 };
	unsigned int i;

	is(p9_decode(unknown, sizeof(unknown), &fc), -EOPNOTSUPP, "an unknown type");
	ok(fc.type == 250 && fc.tag == 0x1234, "is named with its tag");
	is(p9_encode(&fc, unknown, sizeof(unknown)), -EINVAL, "and is not sent");

	walk[P9_HEADER_SIZE + 8] = 17;
	for (i = 0; i < 17; i++) {
		walk[P9_HEADER_SIZE + 10 + i * 3] = 1;
		walk[P9_HEADER_SIZE + 12 + i * 3] = 'x';
	}
	is(p9_decode(walk, sizeof(walk), &fc), -EBADMSG, "seventeen names");
	fc = (struct p9_fcall){ .type = P9_RWALK, .nwalk = 17 };
	is(p9_encode(&fc, walk, sizeof(walk)), -EINVAL, "seventeen qids");

	memset(write + P9_HEADER_SIZE + 12, 0xff, 4);
	is(p9_decode(write, sizeof(write), &fc), -EBADMSG, "a count of 4 GiB");
}

static void test_dirents(void)
{
	struct p9_dirent in = {
		.qid = { .type = P9_QID_DIR, .path = 77 }, .offset = 3, .type = 4,
		.name = p9_str("events"),
	}, out;
	u8 buf[128];
	int len, i, accepted = 0;

	len = p9_put_dirent(buf, sizeof(buf), &in);
	is(len, 13 + 8 + 1 + 2 + 6, "an entry's length");
	is(p9_get_dirent(buf, sizeof(buf), &out), len, "is told on reading");
	ok(out.qid.path == 77 && out.offset == 3 && out.type == 4 &&
	   p9_str_is(out.name, "events"), "and all its members");
	is(p9_put_dirent(buf, len - 1, &in), -EMSGSIZE, "no room for it");
	p9_put_dirent(buf, sizeof(buf), &in);
	for (i = 0; i < len; i++)
		accepted += p9_get_dirent(buf, i, &out) != -EBADMSG;
	is(accepted, 0, "every cut is refused");
	in.name = p9_str("a/b");
	is(p9_put_dirent(buf, sizeof(buf), &in), -EINVAL, "a name with '/'");
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		test_round_trip(types[i]);
	test_members();
	test_wire();
	test_in_place();
	test_names();
	test_longest_walk(P9_TWALK);
	test_longest_walk(P9_RWALK);
	test_bad();
	test_dirents();
	return done();
}
