/* SPDX-License-Identifier: GPL-2.0-only */
/* A 9P server on a socket pair, a directory that stands for tracefs, and a client. */
#ifndef VIRTIO_TRACE_FS_RIG_H
#define VIRTIO_TRACE_FS_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fs-limits.h"
#include "../fs.h"
#include "../p9.h"
#include "tap.h"

#define RIG_MSIZE 65536
#define RIG_TIMEOUT_MS 20000		/* sanitizers on a busy machine are slow */
#define RIG_ROOT 0			/* fid of / */

/**
 * struct rig - server, client and what is between them
 * @cfg: of the server
 * @fd: the client's end
 * @thread: of the server
 * @result: what fs_serve() returned
 * @dir: the temporary directory
 * @tracing: in it
 * @kallsyms: in it
 * @rep: the last reply
 * @buf: where its strings are
 * @ordered: what was last written to /agent/ctl
 * @settled: whether writes to /agent/ctl are over
 */
struct rig {
	struct fs_config cfg;
	int fd;
	pthread_t thread;
	int result;
	char dir[32];
	char tracing[48];
	char kallsyms[48];
	struct p9_fcall rep;
	u8 buf[P9_MSIZE_MAX];
	atomic_int ordered;
	atomic_bool settled;
};

static int rig_show_version(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("0.1.0\n", out);
	return 0;
}

static int rig_show_ctl(void *ctx, FILE *out)
{
	struct rig *r = ctx;

	fprintf(out, "%d\n", atomic_load(&r->ordered));
	return 0;
}

static int rig_show_bad(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("half", out);
	return -EIO;
}

static int rig_show_big(void *ctx, FILE *out)
{
	(void)ctx;
	fprintf(out, "%*d\n", FS_SNAPSHOT_BYTES / 4, 1);
	return 0;
}

/* "1" is done at once, "0" takes until the rig says so. */
static int rig_store_ctl(void *ctx, const char *data, size_t len, u64 *ticket)
{
	struct rig *r = ctx;

	if (!len || (*data != '0' && *data != '1'))
		return -EINVAL;
	atomic_store(&r->ordered, *data - '0');
	*ticket = 77;
	return *data == '0' ? -EINPROGRESS : 0;
}

static int rig_settle_ctl(void *ctx, u64 ticket)
{
	struct rig *r = ctx;

	if (ticket != 77)
		return -EPROTO;
	return atomic_load(&r->settled) ? 0 : -EINPROGRESS;
}

static const struct fs_file rig_files[] = {
	{ .name = "version", .show = rig_show_version },
	{ .name = "ctl", .show = rig_show_ctl, .store = rig_store_ctl,
	  .settle = rig_settle_ctl },
	{ .name = "bad", .show = rig_show_bad },
	{ .name = "big", .show = rig_show_big },
	{ .name = "blind", .store = rig_store_ctl, .settle = rig_settle_ctl },
	{ .name = NULL },
};

static const char *rig_path(const struct rig *r, const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", r->tracing, name);
	return path;
}

static void rig_put(const struct rig *r, const char *name, const char *text)
{
	FILE *f = fopen(rig_path(r, name), "w");

	fputs(text, f);
	fclose(f);
}

static inline bool rig_has(const struct rig *r, const char *name, const char *text)
{
	char got[256] = "";
	FILE *f = fopen(rig_path(r, name), "r");
	size_t len;

	if (!f)
		return false;
	len = fread(got, 1, sizeof(got) - 1, f);
	fclose(f);
	return len == strlen(text) && !strcmp(got, text);
}

static void rig_fill(struct rig *r)
{
	FILE *f;

	snprintf(r->dir, sizeof(r->dir), "/tmp/fs-rig-XXXXXX");
	if (!mkdtemp(r->dir))
		abort();
	snprintf(r->tracing, sizeof(r->tracing), "%s/t", r->dir);
	snprintf(r->kallsyms, sizeof(r->kallsyms), "%s/k", r->dir);
	mkdir(r->tracing, 0755);
	f = fopen(r->kallsyms, "w");
	fputs("ffffffff81000000 T _text\n", f);
	fclose(f);
	mkdir(rig_path(r, "events"), 0755);
	mkdir(rig_path(r, "events/sched"), 0755);
	mkdir(rig_path(r, "instances"), 0755);
	rig_put(r, "events/sched/enable", "0\n");
	rig_put(r, "trace", "# tracer: nop\n");
	rig_put(r, "set_event", "sched:sched_switch\n");
	mkfifo(rig_path(r, "trace_pipe"), 0600);
	symlink("/", rig_path(r, "out"));
	symlink("trace", rig_path(r, "in"));
}

static void *rig_main(void *arg)
{
	struct rig *r = arg;

	r->result = fs_serve(&r->cfg);
	return NULL;
}

static struct rig *rig_start(void)
{
	struct rig *r = calloc(1, sizeof(*r));
	int pair[2];

	signal(SIGPIPE, SIG_IGN);
	rig_fill(r);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		abort();
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	r->fd = pair[1];
	r->cfg = (struct fs_config){
		.port_fd = pair[0], .stop_fd = eventfd(0, 0),
		.wake_fd = eventfd(0, EFD_NONBLOCK), .tracing = r->tracing,
		.kallsyms = r->kallsyms, .files = rig_files, .ctx = r,
	};
	if (pthread_create(&r->thread, NULL, rig_main, r))
		abort();
	return r;
}

static inline void rig_fire(int event_fd)
{
	u64 one = 1;

	if (write(event_fd, &one, sizeof(one)) != sizeof(one))
		abort();
}

static int rig_rm(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void rig_stop(struct rig *r)
{
	rig_fire(r->cfg.stop_fd);
	pthread_join(r->thread, NULL);
	is(r->result, 0, "the server ends when told to");
	close(r->fd);
	close(r->cfg.port_fd);
	close(r->cfg.stop_fd);
	close(r->cfg.wake_fd);
	nftw(r->dir, rig_rm, 16, FTW_DEPTH | FTW_PHYS);
	free(r);
}

static void rig_write(struct rig *r, const void *data, size_t len)
{
	if (write(r->fd, data, len) != (ssize_t)len)
		abort();
}

static void rig_send(struct rig *r, const struct p9_fcall *req)
{
	static u8 buf[P9_MSIZE_MAX];
	int len = p9_encode(req, buf, sizeof(buf));

	if (len < 0)
		abort();
	rig_write(r, buf, (size_t)len);
}

static bool rig_read(struct rig *r, u8 *to, size_t len, int timeout_ms)
{
	struct pollfd pfd = { .fd = r->fd, .events = POLLIN };
	ssize_t n;

	while (len) {
		if (poll(&pfd, 1, timeout_ms) != 1)
			return false;
		n = read(r->fd, to, len);
		if (n <= 0)
			return false;
		to += n;
		len -= (size_t)n;
	}
	return true;
}

/* Returns 0 with r->rep, -errno of an Rlerror, 1 when nothing came or it makes no sense. */
static int rig_recv(struct rig *r, int timeout_ms)
{
	size_t len;

	memset(&r->rep, 0, sizeof(r->rep));
	if (!rig_read(r, r->buf, 4, timeout_ms))
		return 1;
	len = p9_peek_size(r->buf);
	if (len < P9_HEADER_SIZE || len > sizeof(r->buf))
		return 1;
	if (!rig_read(r, r->buf + 4, len - 4, timeout_ms) || p9_decode(r->buf, len, &r->rep))
		return 1;
	return r->rep.type == P9_RLERROR ? -(int)r->rep.ecode : 0;
}

static int rig_call(struct rig *r, const struct p9_fcall *req)
{
	int err;

	rig_send(r, req);
	err = rig_recv(r, RIG_TIMEOUT_MS);
	if (r->rep.tag != req->tag || (!err && r->rep.type != req->type + 1))
		return 1;
	return err;
}

static int rig_version(struct rig *r, u32 msize)
{
	return rig_call(r, &(struct p9_fcall){
		.type = P9_TVERSION, .tag = P9_NOTAG, .msize = msize,
		.version = p9_str(P9_VERSION_STRING),
	});
}

static int rig_attach(struct rig *r)
{
	return rig_call(r, &(struct p9_fcall){
		.type = P9_TATTACH, .fid = RIG_ROOT, .afid = P9_NOFID, .uname = p9_str("root"),
		.aname = p9_str(""),
	});
}

/* A rig whose client has said hello. */
static struct rig *rig_session(u32 msize)
{
	struct rig *r = rig_start();

	if (rig_version(r, msize) || rig_attach(r))
		abort();
	return r;
}

/* Walks from the root; @path may have up to P9_WALK_MAX names. */
static int rig_walk(struct rig *r, u32 newfid, const char *path)
{
	struct p9_fcall req = { .type = P9_TWALK, .tag = 2, .fid = RIG_ROOT, .newfid = newfid };
	size_t len;

	for (; *path; path += len + (path[len] == '/')) {
		len = strcspn(path, "/");
		req.wname[req.nwalk++] = (struct p9_str){ .s = path, .len = (u32)len };
	}
	return rig_call(r, &req);
}

static int rig_open(struct rig *r, u32 fid, const char *path, u32 flags)
{
	int err = rig_walk(r, fid, path);

	if (err)
		return err;
	return rig_call(r, &(struct p9_fcall){
		.type = P9_TLOPEN, .tag = 3, .fid = fid, .flags = flags,
	});
}

static inline struct p9_fcall rig_tread(u16 tag, u32 fid, u64 offset, u32 count)
{
	return (struct p9_fcall){
		.type = P9_TREAD, .tag = tag, .fid = fid, .offset = offset, .count = count,
	};
}

static inline struct p9_fcall rig_twrite(u16 tag, u32 fid, const char *text)
{
	return (struct p9_fcall){
		.type = P9_TWRITE, .tag = tag, .fid = fid, .data = p9_str(text),
	};
}

static inline int rig_get(struct rig *r, u32 fid, u64 offset, u32 count)
{
	struct p9_fcall req = rig_tread(4, fid, offset, count);

	return rig_call(r, &req);
}

static inline int rig_set(struct rig *r, u32 fid, const char *text)
{
	struct p9_fcall req = rig_twrite(5, fid, text);

	return rig_call(r, &req);
}

static int rig_clunk(struct rig *r, u32 fid)
{
	return rig_call(r, &(struct p9_fcall){ .type = P9_TCLUNK, .tag = 6, .fid = fid });
}

static inline bool rig_data_is(const struct rig *r, const char *text)
{
	return p9_str_is(r->rep.data, text);
}

#endif
