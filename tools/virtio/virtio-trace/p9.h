/* SPDX-License-Identifier: GPL-2.0-only */
/* 9P2000.L on the wire: the one codec of server and client, pure, without I/O. */
#ifndef VIRTIO_TRACE_P9_H
#define VIRTIO_TRACE_P9_H

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
	u8 type;		/* 0x80: directory */
	u32 version;
	u64 path;
};
