// SPDX-License-Identifier: GPL-2.0-only
/* How is the guest's agent asked, without trusting its answers? */
/*
 * Theory of operation
 *
 * One request is out at a time, so one reply is due: p9session_rpc() is the only
 * way to ask, and the only place that looks at what a guest has to say. A reply's
 * size is bounded before a byte of it is stored, then the codec checks its form,
 * then session_reply_fits() that it belongs to the question.
 *
 * A session that went wrong cannot be mended, for nobody knows what a late reply
 * belongs to: it is dead from then on and says why, once.
 */
#include "p9session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../msg.h"

#define VERSION_AGAIN_MS 1000
#define RVERSION_SIZE 21	/* header, msize[4], "9P2000.L" with its length */
#define NO_DEADLINE U64_MAX
#define ERRNO_MAX 4095

static u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static u64 session_deadline(const struct p9session *session)
{
	return session->timeout_ms ? now_ms() + session->timeout_ms : NO_DEADLINE;
}

static int session_die(struct p9session *session, int err)
{
	if (session->dead)
		return session->dead;
	session->dead = err;
	if (err == -ETIMEDOUT)
		msg_err(0, "guest %s: agent-fs-path: no answer from the agent within %.1f s",
			session->name, session->timeout_ms / 1e3);
	else if (err == -EPROTO)
		msg_err(0, "guest %s: agent-fs-path: the answer is not 9P", session->name);
	else if (err == -EPIPE || err == -ECONNRESET)
		msg_err(0, "guest %s: agent-fs-path: QEMU has closed it", session->name);
	else
		msg_err(err, "guest %s: agent-fs-path", session->name);
	return err;
}

static int poll_timeout(u64 deadline)
{
	u64 now = now_ms();

	if (deadline == NO_DEADLINE)
		return -1;
	return now < deadline ? (int)(deadline - now) : 0;
}

/* Wait until the socket is ready for @events; carry data meanwhile. */
static int session_wait(struct p9session *session, short events, u64 *deadline)
{
	struct pollfd fds[2];
	int n;

	for (;;) {
		fds[0] = (struct pollfd){ .fd = session->fd, .events = events };
		fds[1] = (struct pollfd){ .fd = session->pump.fd, .events = POLLIN };
		n = poll(fds, ARRAY_SIZE(fds), poll_timeout(*deadline));
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[1].revents && session->pump.run(session->pump.ctx) &&
		    session->patient)
			*deadline = session_deadline(session);
		if (n > 0 && fds[0].revents)
			return 0;
		if (*deadline != NO_DEADLINE && now_ms() >= *deadline)
			return -ETIMEDOUT;
	}
}

static int session_send(struct p9session *session, size_t len, u64 *deadline)
{
	size_t done = 0;
	ssize_t n;
	int ret;

	while (done < len) {
		n = send(session->fd, session->tx + done, len - done, MSG_NOSIGNAL);
		if (n > 0) {
			done += n;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		ret = session_wait(session, POLLOUT, deadline);
		if (ret)
			return ret;
	}
	return 0;
}

static int session_receive(struct p9session *session, void *buf, size_t len, u64 *deadline)
{
	size_t done = 0;
	ssize_t n;
	int ret;

	while (done < len) {
		n = recv(session->fd, (u8 *)buf + done, len - done, 0);
		if (n > 0) {
			done += n;
			continue;
		}
		if (!n)
			return -ECONNRESET;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		ret = session_wait(session, POLLIN, deadline);
		if (ret)
			return ret;
	}
	return 0;
}

static int session_receive_reply(struct p9session *session, struct p9_fcall *reply, u64 *deadline)
{
	u32 size;
	int ret;

	ret = session_receive(session, session->rx, P9_HEADER_SIZE, deadline);
	if (ret)
		return ret;
	size = p9_peek_size(session->rx);
	if (size < P9_HEADER_SIZE || size > session->msize)
		return -EPROTO;
	ret = session_receive(session, session->rx + P9_HEADER_SIZE, size - P9_HEADER_SIZE,
			      deadline);
	if (ret)
		return ret;
	return p9_decode(session->rx, size, reply) ? -EPROTO : 0;
}

/* Whether the reply can be one to this request. */
static bool session_reply_fits(const struct p9_fcall *request, const struct p9_fcall *reply)
{
	if (reply->tag != request->tag)
		return false;
	if (reply->type == P9_RLERROR)
		return reply->ecode && reply->ecode <= ERRNO_MAX;
	if (reply->type != request->type + 1)
		return false;
	switch (reply->type) {
	case P9_RREAD:
	case P9_RREADDIR:
		return reply->data.len <= request->count;
	case P9_RWRITE:
		return reply->count <= request->data.len;
	case P9_RWALK:
		return reply->nwalk <= request->nwalk;
	}
	return true;
}

/* Sends the @len bytes that @request became, and has a fitting reply or the session's end. */
static int session_exchange(struct p9session *session, const struct p9_fcall *request, int len,
			    struct p9_fcall *reply)
{
	u64 deadline = session_deadline(session);
	int ret;

	ret = session_send(session, len, &deadline);
	while (!ret) {
		ret = session_receive_reply(session, reply, &deadline);
		/* The version may have been asked for more than once. */
		if (ret || reply->type != P9_RVERSION || request->type != P9_TATTACH)
			break;
	}
	if (!ret && !session_reply_fits(request, reply))
		ret = -EPROTO;
	return ret;
}

int p9session_rpc(struct p9session *session, struct p9_fcall *request, struct p9_fcall *reply)
{
	struct pollfd cancel = { .fd = session->cancel_fd, .events = POLLIN };
	int len, ret;

	if (session->dead)
		return session->dead;
	if (cancel.fd >= 0 && request->type != P9_TCLUNK && poll(&cancel, 1, 0) > 0)
		return -EINTR;
	request->tag = session->tag++ % P9_NOTAG;
	len = p9_encode(request, session->tx, session->msize);
	if (len < 0)
		return len;
	ret = session_exchange(session, request, len, reply);
	if (ret)
		return session_die(session, ret);
	return reply->type == P9_RLERROR ? -(int)reply->ecode : 0;
}

/* Slides over the byte stream until the last bytes of it are a whole Rversion. */
static int session_find_version(struct p9session *session, struct p9_fcall *reply, u64 *deadline)
{
	u8 *window = session->rx;
	int ret;

	ret = session_receive(session, window, RVERSION_SIZE, deadline);
	while (!ret) {
		if (p9_peek_size(window) == RVERSION_SIZE &&
		    !p9_decode(window, RVERSION_SIZE, reply) && reply->type == P9_RVERSION &&
		    reply->tag == P9_NOTAG && p9_str_is(reply->version, P9_VERSION_STRING))
			return 0;
		memmove(window, window + 1, RVERSION_SIZE - 1);
		ret = session_receive(session, window + RVERSION_SIZE - 1, 1, deadline);
	}
	return ret;
}

/* Ask again now and then: while no agent has the port open, the guest's kernel eats questions. */
static int session_ask_version(struct p9session *session, struct p9_fcall *reply)
{
	struct p9_fcall request = {
		.type = P9_TVERSION, .tag = P9_NOTAG, .msize = session->msize,
		.version = p9_str(P9_VERSION_STRING),
	};
	u64 deadline = session_deadline(session), slice;
	int len, ret;

	len = p9_encode(&request, session->tx, session->msize);
	if (len < 0)
		return len;
	do {
		slice = now_ms() + VERSION_AGAIN_MS;
		if (slice > deadline)
			slice = deadline;
		ret = session_send(session, len, &deadline);
		if (!ret)
			ret = session_find_version(session, reply, &slice);
	} while (ret == -ETIMEDOUT && now_ms() < deadline);
	return ret;
}

static int session_version(struct p9session *session)
{
	struct p9_fcall reply;
	int ret;

	ret = session_ask_version(session, &reply);
	if (ret)
		return ret;
	if (reply.msize < P9_MSIZE_MIN || reply.msize > session->msize)
		return -EPROTO;
	session->msize = reply.msize;
	return 0;
}

/* What goes wrong before the session has begun is for the caller to say. */
static int session_attach(struct p9session *session)
{
	struct p9_fcall request = {
		.type = P9_TATTACH, .tag = session->tag++, .fid = P9SESSION_ROOT, .afid = P9_NOFID,
		.uname = p9_str("root"), .aname = p9_str(""),
	};
	struct p9_fcall reply;
	int len, ret;

	len = p9_encode(&request, session->tx, session->msize);
	if (len < 0)
		return len;
	ret = session_exchange(session, &request, len, &reply);
	if (ret)
		return ret;
	return reply.type == P9_RLERROR ? -(int)reply.ecode : 0;
}

int p9session_open(struct p9session *session, int fd, const char *name, u32 timeout_ms)
{
	int ret;

	*session = (struct p9session){
		.fd = fd,
		.name = name,
		.timeout_ms = timeout_ms,
		.cancel_fd = -1,
		.pump.fd = -1,
		.msize = P9SESSION_MSIZE,
		.tx = malloc(P9SESSION_MSIZE),
		.rx = malloc(P9SESSION_MSIZE),
	};
	ret = session->tx && session->rx ? session_version(session) : -ENOMEM;
	if (!ret)
		ret = session_attach(session);
	if (ret)
		p9session_close(session);
	return ret;
}

void p9session_close(struct p9session *session)
{
	close(session->fd);
	free(session->tx);
	free(session->rx);
}
