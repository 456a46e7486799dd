/* SPDX-License-Identifier: GPL-2.0-only */
/* 9P2000.L on the wire: the one codec of server and client, pure, without I/O. */
#ifndef VIRTIO_TRACE_P9_H
#define VIRTIO_TRACE_P9_H

#include <string.h>

#include "types.h"

#define P9_VERSION_STRING "9P2000.L"
#define P9_NOTAG ((u16)~0)
#define P9_NOFID ((u32)~0)
#define P9_HEADER_SIZE 7		/* size[4] type[1] tag[2] */
#define P9_IO_OVERHEAD 24		/* what Twrite and Rread need beside the data */
#define P9_MSIZE_MIN 4096
#define P9_MSIZE_MAX (1024 * 1024)
#define P9_WALK_MAX 16
#define P9_NAME_MAX 255

/* Message numbers, from include/net/9p/9p.h; a reply is its request + 1. */
enum p9_type {
	P9_RLERROR = 7,
	P9_TSTATFS = 8, P9_RSTATFS,
	P9_TLOPEN = 12, P9_RLOPEN,
	P9_TLCREATE = 14, P9_RLCREATE,
	P9_TGETATTR = 24, P9_RGETATTR,
	P9_TSETATTR = 26, P9_RSETATTR,
	P9_TXATTRWALK = 30, P9_RXATTRWALK,
	P9_TREADDIR = 40, P9_RREADDIR,
	P9_TFSYNC = 50, P9_RFSYNC,
	P9_TMKDIR = 72, P9_RMKDIR,
	P9_TUNLINKAT = 76, P9_RUNLINKAT,
	P9_TVERSION = 100, P9_RVERSION,
	P9_TATTACH = 104, P9_RATTACH,
	P9_TFLUSH = 108, P9_RFLUSH,
	P9_TWALK = 110, P9_RWALK,
	P9_TREAD = 116, P9_RREAD,
	P9_TWRITE = 118, P9_RWRITE,
	P9_TCLUNK = 120, P9_RCLUNK,
};

/* Open flags, from include/net/9p/9p.h: the same numbers on every architecture. */
enum p9_open {
	P9_OPEN_RDONLY = 0, P9_OPEN_WRONLY = 1, P9_OPEN_RDWR = 2, P9_OPEN_ACCMODE = 3,
	P9_OPEN_EXCL = 0200, P9_OPEN_TRUNC = 01000, P9_OPEN_APPEND = 02000,
	P9_OPEN_NONBLOCK = 04000, P9_OPEN_DIRECTORY = 0200000,
};

#define P9_QID_DIR 0x80
#define P9_QID_SYMLINK 0x02
#define P9_UNLINK_DIR 0x200		/* flags of Tunlinkat: it is a directory */
#define P9_STATS_BASIC 0x7ffULL		/* attr.valid: all up to and with blocks */

/* Bits of set_valid in Tsetattr. */
enum p9_set {
	P9_SET_MODE = 1, P9_SET_UID = 2, P9_SET_GID = 4, P9_SET_SIZE = 8,
	P9_SET_ATIME = 16, P9_SET_MTIME = 32, P9_SET_CTIME = 64,
	P9_SET_ATIME_SET = 128, P9_SET_MTIME_SET = 256,
};

/**
 * struct p9_str - a string or block of bytes inside a message, not terminated
 * @s: first byte, inside the message's buffer
 * @len: length in bytes
 */
struct p9_str {
	const char *s;
	u32 len;
};

struct p9_qid {
	u8 type;		/* P9_QID_DIR, P9_QID_SYMLINK or 0 */
	u32 version;
	u64 path;
};

struct p9_attr {
	u64 valid;		/* P9_STATS_*: asked for, or present */
	u32 mode, uid, gid;
	u64 nlink, rdev, size, blksize, blocks;
	u64 atime_sec, atime_nsec, mtime_sec, mtime_nsec;
	u64 ctime_sec, ctime_nsec, btime_sec, btime_nsec;
	u64 gen, data_version;
};

struct p9_statfs {
	u32 type, bsize;
	u64 blocks, bfree, bavail, files, ffree, fsid;
	u32 namelen;
};

/**
 * struct p9_fcall - any message; each type uses the members named after it
 * @type: enum p9_type
 * @tag: pairs request and reply
 * @oldtag: Tflush
 * @nwalk: Twalk, Rwalk: members used of @wname, @wqid
 * @fid: all requests but Tversion and Tflush; the directory for Tmkdir, Tunlinkat
 * @newfid: Twalk, Txattrwalk
 * @afid: Tattach
 * @msize: Tversion, Rversion
 * @flags: Tlopen, Tlcreate (enum p9_open); Tunlinkat; Tfsync (1: data only)
 * @count: Tread, Treaddir, Rwrite
 * @iounit: Rlopen, Rlcreate
 * @ecode: Rlerror: errno, positive
 * @set_valid: Tsetattr: enum p9_set
 * @offset: Tread, Twrite, Treaddir
 * @version: Tversion, Rversion
 * @uname: Tattach
 * @aname: Tattach
 * @name: Tlcreate, Tmkdir, Tunlinkat, Txattrwalk
 * @data: Twrite, Rread, Rreaddir
 * @qid: Rattach, Rlopen, Rlcreate, Rmkdir, Rgetattr
 * @attr: Rgetattr; Tgetattr: valid; Tsetattr: all up to mtime_nsec but valid;
 *	Tlcreate, Tmkdir: mode, gid; Tattach: uid; Rxattrwalk: size
 * @statfs: Rstatfs
 * @wname: Twalk
 * @wqid: Rwalk
 */
struct p9_fcall {
	u8 type;
	u16 tag;
	u16 oldtag;
	u16 nwalk;
	u32 fid;
	u32 newfid;
	u32 afid;
	u32 msize;
	u32 flags;
	u32 count;
	u32 iounit;
	u32 ecode;
	u32 set_valid;
	u64 offset;
	struct p9_str version;
	struct p9_str uname;
	struct p9_str aname;
	struct p9_str name;
	struct p9_str data;
	struct p9_qid qid;
	struct p9_attr attr;
	struct p9_statfs statfs;
	struct p9_str wname[P9_WALK_MAX];
	struct p9_qid wqid[P9_WALK_MAX];
};

/**
 * struct p9_dirent - one entry in the data of Rreaddir
 * @qid: of the file
 * @offset: what Treaddir has to ask for to go on behind this entry
 * @type: DT_*
 * @name: without '/' and NUL
 */
struct p9_dirent {
	struct p9_qid qid;
	u64 offset;
	u8 type;
	struct p9_str name;
};

/**
 * p9_encode() - put a message into a buffer
 * @fc: the message
 * @buf: where to; @fc->data may already lie at its place in it, then nothing is
 *	copied (P9_HEADER_SIZE + 4 for Rread and Rreaddir)
 * @size: room in @buf
 *
 * Return: the message's length, -EMSGSIZE when it does not fit, -EINVAL for an
 * unknown type or a member that p9_decode() would refuse.
 */
int p9_encode(const struct p9_fcall *fc, void *buf, size_t size);

/**
 * p9_decode() - take a message from a buffer
 * @buf: the message
 * @len: its length as received; must be what its size field says
 * @fc: the result; its strings point into @buf. Members the type doesn't use are 0
 *
 * Names of files hold no NUL and no '/' and are not empty; other strings no NUL.
 *
 * Return: 0, -EBADMSG when it is malformed, -EOPNOTSUPP when its type is unknown.
 * With @len >= P9_HEADER_SIZE type and tag are set in any case.
 */
int p9_decode(const void *buf, size_t len, struct p9_fcall *fc);

/**
 * p9_peek_size() - the length of the message that begins at @buf
 * @buf: at least 4 bytes
 *
 * Return: its size field, not checked.
 */
u32 p9_peek_size(const void *buf);

/**
 * p9_put_dirent() - append an entry to the data of an Rreaddir
 * @buf: where to
 * @size: room there
 * @de: the entry
 *
 * Return: bytes used, -EMSGSIZE when it does not fit, -EINVAL for a bad name.
 */
int p9_put_dirent(void *buf, size_t size, const struct p9_dirent *de);

/**
 * p9_get_dirent() - take the first entry from the data of an Rreaddir
 * @buf: the data, or what is left of it
 * @len: its length, not 0
 * @de: the result; its name points into @buf
 *
 * Return: bytes used, -EBADMSG when it is malformed.
 */
int p9_get_dirent(const void *buf, size_t len, struct p9_dirent *de);

/**
 * p9_str() - a p9_str for a C string
 * @s: the string; must live as long as the result
 *
 * Return: the pair of pointer and length.
 */
static inline struct p9_str p9_str(const char *s)
{
	return (struct p9_str){ .s = s, .len = (u32)strlen(s) };
}

/**
 * p9_str_is() - compare with a C string
 * @str: string from a message
 * @s: C string
 *
 * Return: true when they are equal.
 */
static inline bool p9_str_is(struct p9_str str, const char *s)
{
	return str.len == strlen(s) && !memcmp(str.s, s, str.len);
}

#endif
