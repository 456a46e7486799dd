// SPDX-License-Identifier: GPL-2.0-only
/*
 * The 9P server on agent-fs-path: when is read, answered, written and waited?
 *
 * Theory of operation: one thread, one epoll, one buffer. The port is watched edge
 * triggered, so that a host that is not there costs no wakeups: its absence is a lasting
 * POLLHUP with reads of 0, which is no end of file; its return wakes us. One message is
 * read, answered in the same buffer and its reply written before the next is read: a
 * host that sends without taking replies finds the port full, and no memory grows.
 *
 * Between two messages the buffer may be lent to the reply of an older request, whose
 * file has become readable. No request blocks: files are opened non-blocking.
 */
#include "fs.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fs-pending.h"
#include "fs-session.h"
#include "fs-stream.h"
#include "io.h"

#define EVENTS_PER_WAIT 16
#define STEPS_PER_WAIT 16		/* so that a busy client starves nobody */

/**
 * struct fs - the server
 * @cfg: what and whom it serves
 * @poll_fd: epoll of the port, the two eventfds and files that are waited for
 * @st: the bytes from the port
 * @se: the client's session
 * @reply_len: length of the reply in @st.buf, 0: none
 * @reply_sent: how much of it the port has taken
 * @busy: there may be something to do without waiting
 * @dry: the last read found nothing
 * @stopped: told to end
 * @port_events: what the port is watched for
 * @quiet_at: when silence will have proved a cut, in ms; 0: no suspicion
 * @gone_at: when a host that seemed to have gone is believed gone, in ms; 0: no doubt
 * @retry_at: when pending reads are tried again, in ms; 0: there are none
 */
struct fs {
	const struct fs_config *cfg;
	int poll_fd;
	struct fs_stream st;
	struct fs_session se;
	size_t reply_len;
	size_t reply_sent;
	bool busy;
	bool dry;
	bool stopped;
	u32 port_events;
	u64 quiet_at;
	u64 gone_at;
	u64 retry_at;
};

static int fd_add(int poll_fd, int fd, u32 events)
{
	struct epoll_event ev = { .events = events, .data.fd = fd };

	return epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* Waiting for room only while it is needed: each reply the host takes would wake us. */
static int port_watch(struct fs *fs, u32 events)
{
	struct epoll_event ev = { .events = events | EPOLLET, .data.fd = fs->cfg->port_fd };

	if (fs->port_events == events)
		return 0;
	fs->port_events = events;
	return epoll_ctl(fs->poll_fd, EPOLL_CTL_MOD, ev.data.fd, &ev) < 0 ? -errno : 0;
}

/*
 * The guest learns late that a client went: by then the next one may be half way through
 * its session, whose Tversion has ended the old one. So this is believed only if it lasts.
 */
static void port_doubt(struct fs *fs)
{
	if (!fs->gone_at)
		fs->gone_at = io_now_ms() + FS_QUIET_MS;
}

/* The host side is gone, and with it the client; wait for the next. */
static int port_hangup(struct fs *fs)
{
	fs_stream_reset(&fs->st);
	fs_session_reset(&fs->se);
	fs->st.msize = P9_MSIZE_MIN;
	fs->reply_len = 0;
	fs->quiet_at = 0;
	fs->gone_at = 0;
	fs->dry = true;
	/* A guest is no place to keep what the busiest client ever needed. */
	malloc_trim(0);
	return port_watch(fs, EPOLLIN);
}

static bool port_is_hung_up(const struct fs *fs)
{
	struct pollfd port = { .fd = fs->cfg->port_fd };

	return poll(&port, 1, 0) > 0 && port.revents & POLLHUP;
}

/* A reading or writing that failed: what does it say about the port? */
static int port_failed(struct fs *fs, int err)
{
	switch (err) {
	case EINTR:
		return 0;
	case EPIPE:
	case ECONNRESET:
		return port_hangup(fs);
	default:
		return -err;
	}
}

static int port_fill(struct fs *fs)
{
	size_t room;
	void *to = fs_stream_room(&fs->st, &room);
	ssize_t n = read(fs->cfg->port_fd, to, room);

	if (n > 0) {
		fs_stream_fed(&fs->st, (size_t)n);
		fs->quiet_at = 0;
		fs->gone_at = 0;
		return 0;
	}
	if (!n)
		port_doubt(fs);
	else if (errno != EAGAIN)
		return port_failed(fs, errno);
	fs->dry = true;
	return 0;
}

static int port_flush(struct fs *fs)
{
	ssize_t n = write(fs->cfg->port_fd, fs->st.buf + fs->reply_sent,
			  fs->reply_len - fs->reply_sent);

	if (n < 0 && errno == EAGAIN) {
		fs->busy = false;
		return port_watch(fs, EPOLLOUT);
	}
	if (n < 0)
		return port_failed(fs, errno);
	fs->reply_sent += (size_t)n;
	if (fs->reply_sent < fs->reply_len)
		return 0;
	fs_stream_done(&fs->st, fs->reply_len);
	fs->reply_len = 0;
	return port_watch(fs, EPOLLIN);
}

/* What was built in the buffer, if anything, is the next to be written. */
static void reply_begin(struct fs *fs, int len)
{
	fs->reply_len = len > 0 ? (size_t)len : 0;
	fs->reply_sent = 0;
	if (!fs->reply_len)
		fs_stream_done(&fs->st, 0);
}

static void message_answer(struct fs *fs, size_t len)
{
	int reply = fs_session_answer(&fs->se, fs->st.buf, len);

	if (reply == -EPROTO)
		fs_stream_lose(&fs->st);
	fs->st.msize = MAX(fs->se.msize, (u32)P9_MSIZE_MIN);
	reply_begin(fs, reply);
}

static void port_idle(struct fs *fs)
{
	fs->busy = false;
	if (!fs->quiet_at && fs_stream_is_suspect(&fs->st))
		fs->quiet_at = io_now_ms() + FS_QUIET_MS;
	fs_stream_trim(&fs->st);
}

static int fs_step(struct fs *fs)
{
	size_t len;

	if (fs->reply_len)
		return port_flush(fs);
	if (fs_pending_is_due(&fs->se) && fs_stream_lend(&fs->st)) {
		reply_begin(fs, fs_session_resume(&fs->se, fs->st.buf));
		return 0;
	}
	len = fs_stream_next(&fs->st, fs->dry);
	if (len)
		message_answer(fs, len);
	else if (fs->dry)
		port_idle(fs);
	else
		return port_fill(fs);
	return 0;
}

static void port_event(struct fs *fs, u32 events)
{
	fs->dry = false;
	/* Perhaps nobody is there to take the rest, and the next client must not get it. */
	if (fs->reply_len && events & EPOLLHUP)
		port_doubt(fs);
}

static void fs_event(struct fs *fs, const struct epoll_event *ev)
{
	if (ev->data.fd == fs->cfg->stop_fd) {
		fs->stopped = true;
		return;
	}
	fs->busy = true;
	if (ev->data.fd == fs->cfg->port_fd) {
		port_event(fs, ev->events);
		return;
	}
	if (ev->data.fd == fs->cfg->wake_fd) {
		io_event_clear(fs->cfg->wake_fd);
		fs_pending_settle(&fs->se);
	} else {
		fs_pending_ready(&fs->se, ev->data.fd);
	}
}

static int wait_ms(struct fs *fs)
{
	u64 now, until = U64_MAX;

	if (!fs_pending_is_reading(&fs->se))
		fs->retry_at = 0;
	else if (!fs->retry_at)
		fs->retry_at = io_now_ms() + FS_RETRY_MS;
	if (fs->busy)
		return 0;
	if (fs->quiet_at)
		until = fs->quiet_at;
	if (fs->gone_at)
		until = MIN(until, fs->gone_at);
	if (fs->retry_at && !fs->reply_len)
		until = MIN(until, fs->retry_at);
	if (until == U64_MAX)
		return -1;
	now = io_now_ms();
	return until > now ? (int)(until - now) : 0;
}

static int fs_tick(struct fs *fs)
{
	u64 now;

	if (!fs->quiet_at && !fs->gone_at && !fs->retry_at)
		return 0;
	now = io_now_ms();
	if (fs->gone_at && now >= fs->gone_at) {
		fs->gone_at = 0;
		fs->busy = true;
		if (port_is_hung_up(fs))
			return port_hangup(fs);
	}
	if (fs->quiet_at && now >= fs->quiet_at && fs->dry) {
		fs_stream_resync(&fs->st);
		fs->quiet_at = 0;
		fs->busy = true;
	}
	if (fs->retry_at && now >= fs->retry_at) {
		fs_pending_retry(&fs->se);
		fs->retry_at = 0;
		fs->busy = true;
	}
	return 0;
}

static int fs_turn(struct fs *fs)
{
	struct epoll_event ev[EVENTS_PER_WAIT];
	int n, i, err;

	n = epoll_wait(fs->poll_fd, ev, EVENTS_PER_WAIT, wait_ms(fs));
	if (n < 0 && errno != EINTR)
		return -errno;
	for (i = 0; i < n; i++)
		fs_event(fs, &ev[i]);
	err = fs_tick(fs);
	for (i = 0; i < STEPS_PER_WAIT && !err && fs->busy && !fs->stopped; i++)
		err = fs_step(fs);
	return err;
}

static int fs_watch(struct fs *fs)
{
	int err;

	fs->port_events = EPOLLIN;
	err = fd_add(fs->poll_fd, fs->cfg->port_fd, EPOLLIN | EPOLLET);
	if (!err)
		err = fd_add(fs->poll_fd, fs->cfg->stop_fd, EPOLLIN);
	if (!err)
		err = fd_add(fs->poll_fd, fs->cfg->wake_fd, EPOLLIN);
	return err;
}

static int fs_open(struct fs *fs, const struct fs_config *cfg)
{
	int err;

	fs->cfg = cfg;
	fs->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (fs->poll_fd < 0)
		return -errno;
	err = fs_stream_open(&fs->st);
	if (err)
		goto err_close_poll;
	err = fs_session_open(&fs->se, cfg, fs->poll_fd);
	if (err)
		goto err_close_stream;
	err = fs_watch(fs);
	if (err)
		goto err_close_session;
	return 0;

err_close_session:
	fs_session_close(&fs->se);
err_close_stream:
	fs_stream_close(&fs->st);
err_close_poll:
	close(fs->poll_fd);
	return err;
}

static void fs_close(struct fs *fs)
{
	fs_session_close(&fs->se);
	fs_stream_close(&fs->st);
	close(fs->poll_fd);
}

/* The client's open files come on top of what the relays need; failing is no harm. */
static void files_raise(void)
{
	const rlim_t want = FS_OPEN_MAX + FS_SPARE_FILES;
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= want)
		return;
	lim.rlim_cur = MIN(want, lim.rlim_max);
	setrlimit(RLIMIT_NOFILE, &lim);
}

int fs_serve(const struct fs_config *cfg)
{
	struct fs *fs = calloc(1, sizeof(*fs));
	int err;

	if (!fs)
		return -ENOMEM;
	files_raise();
	err = fs_open(fs, cfg);
	if (err)
		goto out_free;
	while (!err && !fs->stopped)
		err = fs_turn(fs);
	fs_close(fs);
out_free:
	free(fs);
	return err;
}
