// SPDX-License-Identifier: GPL-2.0-only
/*
 * How 9P2000.L messages become bytes and bytes become messages.
 *
 * Theory of operation: a table says, per message type, which members of struct
 * p9_fcall follow the header, in which order and as what. Encoder and decoder walk
 * the same table, so they can't disagree about a message's shape. A cursor moves
 * over the buffer; the first access beyond its end marks it bad and every later one
 * fails too, so that only the end of a message needs a check. Each value has one
 * encoding, hence encode(decode(b)) == b for every message that decodes.
 */
#include "p9.h"

#include <errno.h>

/* What a field is on the wire; the integers' kinds are their lengths. */
enum kind {
	END = 0, U8 = 1, U16 = 2, U32 = 4, U64 = 8,
	EMPTY,			/* no fields: tells a known message from a hole in the table */
	STR,			/* len[2] and text without NUL */
	NAME,			/* the same, a file's name */
	DATA,			/* count[4] and bytes */
	QID,			/* type[1] version[4] path[8] */
	NAMES,			/* nwalk[2] and as many NAME */
	QIDS,			/* nwalk[2] and as many QID */
};

struct field {
	u8 kind;
	u16 offset;
};

#define F(kind, member) { kind, offsetof(struct p9_fcall, member) }
#define MAX_FIELDS 21

static const struct field messages[][MAX_FIELDS] = {
	[P9_RLERROR] = { F(U32, ecode) },
	[P9_TSTATFS] = { F(U32, fid) },
	[P9_RSTATFS] = {
		F(U32, statfs.type), F(U32, statfs.bsize), F(U64, statfs.blocks),
		F(U64, statfs.bfree), F(U64, statfs.bavail), F(U64, statfs.files),
		F(U64, statfs.ffree), F(U64, statfs.fsid), F(U32, statfs.namelen),
	},
	[P9_TLOPEN] = { F(U32, fid), F(U32, flags) },
	[P9_RLOPEN] = { F(QID, qid), F(U32, iounit) },
	[P9_TLCREATE] = {
		F(U32, fid), F(NAME, name), F(U32, flags), F(U32, attr.mode), F(U32, attr.gid),
	},
	[P9_RLCREATE] = { F(QID, qid), F(U32, iounit) },
	[P9_TGETATTR] = { F(U32, fid), F(U64, attr.valid) },
	[P9_RGETATTR] = {
		F(U64, attr.valid), F(QID, qid), F(U32, attr.mode), F(U32, attr.uid),
		F(U32, attr.gid), F(U64, attr.nlink), F(U64, attr.rdev), F(U64, attr.size),
		F(U64, attr.blksize), F(U64, attr.blocks), F(U64, attr.atime_sec),
		F(U64, attr.atime_nsec), F(U64, attr.mtime_sec), F(U64, attr.mtime_nsec),
		F(U64, attr.ctime_sec), F(U64, attr.ctime_nsec), F(U64, attr.btime_sec),
		F(U64, attr.btime_nsec), F(U64, attr.gen), F(U64, attr.data_version),
	},
	[P9_TSETATTR] = {
		F(U32, fid), F(U32, set_valid), F(U32, attr.mode), F(U32, attr.uid),
		F(U32, attr.gid), F(U64, attr.size), F(U64, attr.atime_sec),
		F(U64, attr.atime_nsec), F(U64, attr.mtime_sec), F(U64, attr.mtime_nsec),
	},
	[P9_RSETATTR] = { { EMPTY, 0 } },
	[P9_TXATTRWALK] = { F(U32, fid), F(U32, newfid), F(STR, name) },
	[P9_RXATTRWALK] = { F(U64, attr.size) },
	[P9_TREADDIR] = { F(U32, fid), F(U64, offset), F(U32, count) },
	[P9_RREADDIR] = { F(DATA, data) },
	[P9_TFSYNC] = { F(U32, fid), F(U32, flags) },
	[P9_RFSYNC] = { { EMPTY, 0 } },
	[P9_TMKDIR] = { F(U32, fid), F(NAME, name), F(U32, attr.mode), F(U32, attr.gid) },
	[P9_RMKDIR] = { F(QID, qid) },
	[P9_TUNLINKAT] = { F(U32, fid), F(NAME, name), F(U32, flags) },
	[P9_RUNLINKAT] = { { EMPTY, 0 } },
	[P9_TVERSION] = { F(U32, msize), F(STR, version) },
	[P9_RVERSION] = { F(U32, msize), F(STR, version) },
	[P9_TATTACH] = {
		F(U32, fid), F(U32, afid), F(STR, uname), F(STR, aname), F(U32, attr.uid),
	},
	[P9_RATTACH] = { F(QID, qid) },
	[P9_TFLUSH] = { F(U16, oldtag) },
	[P9_RFLUSH] = { { EMPTY, 0 } },
	[P9_TWALK] = { F(U32, fid), F(U32, newfid), F(NAMES, nwalk) },
	[P9_RWALK] = { F(QIDS, nwalk) },
	[P9_TREAD] = { F(U32, fid), F(U64, offset), F(U32, count) },
	[P9_RREAD] = { F(DATA, data) },
	[P9_TWRITE] = { F(U32, fid), F(U64, offset), F(DATA, data) },
	[P9_RWRITE] = { F(U32, count) },
	[P9_TCLUNK] = { F(U32, fid) },
	[P9_RCLUNK] = { { EMPTY, 0 } },
};

static bool type_is_known(u8 type)
{
	return type < ARRAY_SIZE(messages) && messages[type][0].kind != END;
}

struct cursor {
	u8 *at;
	size_t left;
	int err;		/* the first fault; 0 so far */
	int short_err;		/* the fault when the buffer ends too early */
};

static u8 *cursor_advance(struct cursor *c, size_t len)
{
	u8 *at = c->at;

	if (c->err)
		return NULL;
	if (len > c->left) {
		c->err = c->short_err;
		return NULL;
	}
	c->at += len;
	c->left -= len;
	return at;
}

static void int_put(struct cursor *c, u64 value, unsigned int width)
{
	u8 *p = cursor_advance(c, width);
	unsigned int i;

	if (!p)
		return;
	for (i = 0; i < width; i++)
		p[i] = (u8)(value >> (8 * i));
}

static u64 int_get(struct cursor *c, unsigned int width)
{
	const u8 *p = cursor_advance(c, width);
	unsigned int i;
	u64 value = 0;

	if (!p)
		return 0;
	for (i = 0; i < width; i++)
		value |= (u64)p[i] << (8 * i);
	return value;
}

static u64 member_load(const void *member, unsigned int width)
{
	switch (width) {
	case U8:
		return *(const u8 *)member;
	case U16:
		return *(const u16 *)member;
	case U32:
		return *(const u32 *)member;
	default:
		return *(const u64 *)member;
	}
}

static void member_store(void *member, unsigned int width, u64 value)
{
	switch (width) {
	case U8:
		*(u8 *)member = (u8)value;
		break;
	case U16:
		*(u16 *)member = (u16)value;
		break;
	case U32:
		*(u32 *)member = (u32)value;
		break;
	default:
		*(u64 *)member = value;
	}
}

static bool str_is_valid(enum kind as, const struct p9_str *str)
{
	if (as == DATA || (as == STR && !str->len))
		return true;
	if (memchr(str->s, '\0', str->len))
		return false;
	return as == STR || (str->len && !memchr(str->s, '/', str->len));
}

static void str_put(struct cursor *c, enum kind as, const struct p9_str *str)
{
	u8 *p;

	if (!str_is_valid(as, str) || (as != DATA && str->len > 0xffff)) {
		c->err = -EINVAL;
		return;
	}
	int_put(c, str->len, as == DATA ? U32 : U16);
	p = cursor_advance(c, str->len);
	if (p && str->len && p != (const u8 *)str->s)
		memmove(p, str->s, str->len);
}

static void str_get(struct cursor *c, enum kind as, struct p9_str *str)
{
	u32 len = (u32)int_get(c, as == DATA ? U32 : U16);
	const u8 *p = cursor_advance(c, len);

	if (!p)
		return;
	str->s = (const char *)p;
	str->len = len;
	if (!str_is_valid(as, str))
		c->err = c->short_err;
}

static void qid_put(struct cursor *c, const struct p9_qid *qid)
{
	int_put(c, qid->type, U8);
	int_put(c, qid->version, U32);
	int_put(c, qid->path, U64);
}

static void qid_get(struct cursor *c, struct p9_qid *qid)
{
	qid->type = (u8)int_get(c, U8);
	qid->version = (u32)int_get(c, U32);
	qid->path = int_get(c, U64);
}

static void walk_put(struct cursor *c, enum kind as, const struct p9_fcall *fc)
{
	unsigned int i;

	if (fc->nwalk > P9_WALK_MAX) {
		c->err = -EINVAL;
		return;
	}
	int_put(c, fc->nwalk, U16);
	for (i = 0; i < fc->nwalk; i++) {
		if (as == NAMES)
			str_put(c, NAME, &fc->wname[i]);
		else
			qid_put(c, &fc->wqid[i]);
	}
}

static void walk_get(struct cursor *c, enum kind as, struct p9_fcall *fc)
{
	unsigned int i;

	fc->nwalk = (u16)int_get(c, U16);
	if (fc->nwalk > P9_WALK_MAX) {
		c->err = c->short_err;
		return;
	}
	for (i = 0; i < fc->nwalk; i++) {
		if (as == NAMES)
			str_get(c, NAME, &fc->wname[i]);
		else
			qid_get(c, &fc->wqid[i]);
	}
}

static void field_put(struct cursor *c, const struct field *f, const struct p9_fcall *fc)
{
	const void *member = (const char *)fc + f->offset;

	switch (f->kind) {
	case EMPTY:
		break;
	case STR:
	case NAME:
	case DATA:
		str_put(c, f->kind, member);
		break;
	case QID:
		qid_put(c, member);
		break;
	case NAMES:
	case QIDS:
		walk_put(c, f->kind, fc);
		break;
	default:
		int_put(c, member_load(member, f->kind), f->kind);
	}
}

static void field_get(struct cursor *c, const struct field *f, struct p9_fcall *fc)
{
	void *member = (char *)fc + f->offset;

	switch (f->kind) {
	case EMPTY:
		break;
	case STR:
	case NAME:
	case DATA:
		str_get(c, f->kind, member);
		break;
	case QID:
		qid_get(c, member);
		break;
	case NAMES:
	case QIDS:
		walk_get(c, f->kind, fc);
		break;
	default:
		member_store(member, f->kind, int_get(c, f->kind));
	}
}

int p9_encode(const struct p9_fcall *fc, void *buf, size_t size)
{
	struct cursor c = { .at = buf, .left = size, .short_err = -EMSGSIZE };
	const struct field *f;
	size_t len;

	if (!type_is_known(fc->type))
		return -EINVAL;

	int_put(&c, 0, U32);
	int_put(&c, fc->type, U8);
	int_put(&c, fc->tag, U16);
	for (f = messages[fc->type]; f->kind != END && !c.err; f++)
		field_put(&c, f, fc);
	if (c.err)
		return c.err;

	len = size - c.left;
	c = (struct cursor){ .at = buf, .left = size };
	int_put(&c, len, U32);
	return (int)len;
}

int p9_decode(const void *buf, size_t len, struct p9_fcall *fc)
{
	/* The cursor serves both directions; nothing is written through it here. */
	struct cursor c = { .at = (u8 *)buf, .left = len, .short_err = -EBADMSG };
	const struct field *f;
	u32 size;

	memset(fc, 0, sizeof(*fc));
	size = (u32)int_get(&c, U32);
	fc->type = (u8)int_get(&c, U8);
	fc->tag = (u16)int_get(&c, U16);
	if (c.err || size != len)
		return -EBADMSG;
	if (!type_is_known(fc->type))
		return -EOPNOTSUPP;

	for (f = messages[fc->type]; f->kind != END && !c.err; f++)
		field_get(&c, f, fc);
	if (!c.err && c.left)
		c.err = -EBADMSG;
	return c.err;
}

u32 p9_peek_size(const void *buf)
{
	struct cursor c = { .at = (u8 *)buf, .left = U32 };

	return (u32)int_get(&c, U32);
}

int p9_put_dirent(void *buf, size_t size, const struct p9_dirent *de)
{
	struct cursor c = { .at = buf, .left = size, .short_err = -EMSGSIZE };

	qid_put(&c, &de->qid);
	int_put(&c, de->offset, U64);
	int_put(&c, de->type, U8);
	str_put(&c, NAME, &de->name);
	return c.err ? c.err : (int)(size - c.left);
}

int p9_get_dirent(const void *buf, size_t len, struct p9_dirent *de)
{
	struct cursor c = { .at = (u8 *)buf, .left = len, .short_err = -EBADMSG };

	memset(de, 0, sizeof(*de));
	qid_get(&c, &de->qid);
	de->offset = int_get(&c, U64);
	de->type = (u8)int_get(&c, U8);
	str_get(&c, NAME, &de->name);
	return c.err ? c.err : (int)(len - c.left);
}
