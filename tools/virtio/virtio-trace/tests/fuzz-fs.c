// SPDX-License-Identifier: GPL-2.0-only
/* Does any byte stream break the 9P server, or make it deaf for the next client? */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../fs-pending.h"
#include "../fs-session.h"
#include "../fs-stream.h"

#define PIECE_MAX 300			/* bytes that are "there at once" */

static char dir[32], kallsyms[64];
static bool dirty;

/* libFuzzer looks for these names. */
int fuzz_init(int *argc, char ***argv) __asm__("LLVMFuzzerInitialize");
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

static int show(void *ctx, FILE *out)
{
	(void)ctx;
	fputs("text\n", out);
	return 0;
}

static int store(void *ctx, const char *data, size_t len, u64 *ticket)
{
	(void)ctx;
	*ticket = len;
	return len && *data == '0' ? -EINPROGRESS : 0;
}

static int settle(void *ctx, u64 ticket)
{
	(void)ctx;
	return ticket % 2 ? -EINPROGRESS : 0;
}

static const struct fs_file files[] = {
	{ .name = "ctl", .show = show, .store = store, .settle = settle },
	{ .name = NULL },
};

static int remove_below(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	return ftw->level ? remove(path) : 0;
}

static void tree_clear(void)
{
	nftw(dir, remove_below, 16, FTW_DEPTH | FTW_PHYS);
}

static void tree_fill(void)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/d", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/p", dir);
	mkfifo(path, 0600);
	snprintf(path, sizeof(path), "%s/f", dir);
	close(open(path, O_CREAT | O_WRONLY, 0644));
	dirty = false;
}

static void tree_end(void)
{
	tree_clear();
	rmdir(dir);
}

int fuzz_init(int *argc, char ***argv)
{
	struct rlimit small = { 1 << 20, 1 << 20 };

	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "/tmp/fuzz-fs-XXXXXX");
	if (!mkdtemp(dir))
		abort();
	snprintf(kallsyms, sizeof(kallsyms), "%s/f", dir);
	tree_fill();
	atexit(tree_end);
	setrlimit(RLIMIT_FSIZE, &small);
	return 0;
}

/* Every reply must be one, fit, and be known to our own decoder. Returns its type. */
static u8 reply_check(const struct fs_session *s, const u8 *buf, int len)
{
	struct p9_fcall rep;

	if (p9_decode(buf, (size_t)len, &rep) || !(rep.type % 2))
		abort();
	if (len > P9_MSIZE_MIN && (u32)len > s->msize)
		abort();
	if (s->fids.count > FS_FIDS_MAX || s->pending_count > FS_PENDING_MAX)
		abort();
	return rep.type;
}

static u8 message_answer(struct fs_stream *st, struct fs_session *s, size_t len)
{
	u8 type = st->buf[4], reply = 0;
	int n;

	dirty |= type == P9_TMKDIR || type == P9_TUNLINKAT || type == P9_TLCREATE ||
		 type == P9_TWRITE || type == P9_TSETATTR || type == P9_TLOPEN;
	n = fs_session_answer(s, st->buf, len);
	if (n > 0)
		reply = reply_check(s, st->buf, n);
	else if (n < 0)
		fs_stream_lose(st);
	st->msize = s->msize ? s->msize : P9_MSIZE_MIN;
	fs_stream_done(st, n > 0 ? (size_t)n : 0);
	return reply;
}

static void resume(struct fs_stream *st, struct fs_session *s)
{
	int n;

	while (fs_pending_is_due(s) && fs_stream_lend(st)) {
		n = fs_session_resume(s, st->buf);
		if (n > 0)
			reply_check(s, st->buf, n);
		fs_stream_done(st, n > 0 ? (size_t)n : 0);
	}
}

static u8 drain(struct fs_stream *st, struct fs_session *s, bool dry)
{
	u8 reply = 0;
	size_t len;

	while ((len = fs_stream_next(st, dry)))
		reply = message_answer(st, s, len);
	resume(st, s);
	return reply;
}

static u8 feed(struct fs_stream *st, struct fs_session *s, const u8 *data, size_t len)
{
	u8 reply = drain(st, s, !len);
	size_t room;
	void *to;

	while (len) {
		to = fs_stream_room(st, &room);
		if (room > len)
			room = len;
		memcpy(to, data, room);
		fs_stream_fed(st, room);
		data += room;
		len -= room;
		reply = drain(st, s, !len);
	}
	return reply;
}

/* After all that, the next client must be heard. */
static void hello(struct fs_stream *st, struct fs_session *s)
{
	struct p9_fcall version = {
		.type = P9_TVERSION, .tag = P9_NOTAG, .msize = 8192,
		.version = p9_str(P9_VERSION_STRING),
	};
	u8 buf[64], reply;
	int len = p9_encode(&version, buf, sizeof(buf));

	reply = feed(st, s, buf, (size_t)len);
	if (fs_stream_is_suspect(st)) {
		fs_stream_resync(st);
		reply = drain(st, s, true);
	}
	if (reply != P9_RVERSION || s->msize != 8192)
		abort();
}

int fuzz_one(const u8 *data, size_t size)
{
	struct fs_config cfg = { .tracing = dir, .kallsyms = kallsyms, .files = files };
	static struct fs_session s;
	struct fs_stream st;
	size_t piece;
	int poll_fd;

	/* libFuzzer's handler came after fuzz_init(); here EFBIG is wanted. */
	signal(SIGXFSZ, SIG_IGN);
	poll_fd = epoll_create1(0);
	if (fs_stream_open(&st) || fs_session_open(&s, &cfg, poll_fd))
		abort();
	while (size) {
		piece = size < PIECE_MAX ? size : PIECE_MAX;
		feed(&st, &s, data, piece);
		fs_pending_settle(&s);
		fs_pending_retry(&s);
		data += piece;
		size -= piece;
	}
	hello(&st, &s);
	fs_session_close(&s);
	fs_stream_close(&st);
	close(poll_fd);
	if (dirty) {
		tree_clear();
		tree_fill();
	}
	return 0;
}
