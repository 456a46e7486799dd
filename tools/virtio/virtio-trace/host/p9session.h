/* SPDX-License-Identifier: GPL-2.0-only */
/* A session with a 9P2000.L server: one request, one reply, every wait bounded. */
#ifndef VIRTIO_TRACE_P9SESSION_H
#define VIRTIO_TRACE_P9SESSION_H

#include "../p9.h"
#include "../types.h"

#define P9SESSION_MSIZE (128 * 1024)
#define P9SESSION_ROOT 0	/* the fid that stands for the root of the tree */

/**
 * struct p9pump - what is kept going while a reply is awaited
 * @fd: polled for input
 * @run: called when @fd is ready; must not block nor use the session.
 *	Returns whether something moved.
 * @ctx: handed to it
 */
struct p9pump {
	int fd;
	bool (*run)(void *ctx);
	void *ctx;
};

/**
 * struct p9session - a session; made by p9session_open()
 * @fd: the socket
 * @name: what messages call the guest; must outlive the session
 * @timeout_ms: how long one answer may take; 0: for ever
 * @patient: the time for an answer begins anew whenever the pump moved something
 * @cancel_fd: once it is readable no further request is begun, they return -EINTR;
 *	only polled; -1: none
 * @pump: see struct p9pump; its fd is -1 when there is none
 * @dead: what ended the session, -errno; 0: nothing did
 * @msize: largest message
 * @tag: of the last request
 * @tx: the last request
 * @rx: the last reply
 *
 * The members up to @pump may be changed between requests.
 */
struct p9session {
	int fd;
	const char *name;
	u32 timeout_ms;
	bool patient;
	int cancel_fd;
	struct p9pump pump;
	int dead;
	u32 msize;
	u16 tag;
	u8 *tx;
	u8 *rx;
};

/**
 * p9session_open() - begin a session with the server behind a socket
 * @session: the session
 * @fd: a connected, non-blocking stream socket; the session's from now on, also on error
 * @name: see struct p9session
 * @timeout_ms: see struct p9session
 *
 * Answers to somebody who left are skipped: the session begins with the first
 * whole Rversion in the byte stream. Says nothing: only the caller knows what it means
 * when there is no session.
 *
 * Return: 0 or -errno; -ETIMEDOUT: nobody answers.
 */
int p9session_open(struct p9session *session, int fd, const char *name, u32 timeout_ms);

/**
 * p9session_close() - end the session
 * @session: the session
 */
void p9session_close(struct p9session *session);

/**
 * p9session_rpc() - ask, and wait for the answer
 * @session: the session
 * @request: the question; its tag is chosen here
 * @reply: the answer, valid until the next question
 *
 * A server that does not answer in time, goes away or breaks the protocol ends the
 * session. That is said once; every further request fails with the same error.
 *
 * Return: 0 or -errno, the guest's errno included.
 */
int p9session_rpc(struct p9session *session, struct p9_fcall *request, struct p9_fcall *reply);

#endif
