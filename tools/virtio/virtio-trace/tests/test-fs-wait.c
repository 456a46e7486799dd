// SPDX-License-Identifier: GPL-2.0-only
/* Does the 9P server keep serving while requests wait, and what ends their wait? */
#include "fs-rig.h"

#define PIPE "tracing/trace_pipe"
#define SHORT_MS 300			/* long enough to see that no reply comes */

static int pipe_writer(const struct rig *r)
{
	return open(rig_path(r, "trace_pipe"), O_RDWR);
}

static void test_blocked_read(struct rig *r, int pipe_fd)
{
	struct p9_fcall read_pipe = rig_tread(100, 1, 0, 4096);

	is(rig_open(r, 1, PIPE, 0), 0, "open a pipe");
	rig_send(r, &read_pipe);
	is(rig_recv(r, SHORT_MS), 1, "reading it waits");
	rig_open(r, 2, "agent/version", 0);
	rig_get(r, 2, 0, 100);
	ok(rig_data_is(r, "0.1.0\n"), "other requests are answered meanwhile");
	write(pipe_fd, "event", 5);
	is(rig_recv(r, RIG_TIMEOUT_MS), 0, "data ends the wait");
	ok(r->rep.tag == 100 && rig_data_is(r, "event"), "and is the reply");

	write(pipe_fd, "more", 4);
	rig_get(r, 1, 0, 2);
	ok(rig_data_is(r, "mo"), "what is there is read at once");
	rig_get(r, 1, 0, 100);
	ok(rig_data_is(r, "re"), "at no offset");

	rig_send(r, &read_pipe);
	read_pipe.tag = 101;
	rig_send(r, &read_pipe);
	is(rig_recv(r, SHORT_MS), 1, "two wait for one file");
	write(pipe_fd, "x", 1);
	is(rig_recv(r, RIG_TIMEOUT_MS), 0, "the older one");
	is(r->rep.tag, 100, "gets it");
	write(pipe_fd, "y", 1);
	is(rig_recv(r, RIG_TIMEOUT_MS), 0, "then the other");
	is(r->rep.tag, 101, "gets it");
	rig_clunk(r, 1);
	rig_clunk(r, 2);
}

static void test_flush(struct rig *r, int pipe_fd)
{
	struct p9_fcall read_pipe = rig_tread(100, 1, 0, 4096);
	struct p9_fcall flush = { .type = P9_TFLUSH, .tag = 9, .oldtag = 100 };

	rig_open(r, 1, PIPE, 0);
	rig_send(r, &read_pipe);
	is(rig_call(r, &flush), 0, "flush a read that waits");
	write(pipe_fd, "z", 1);
	is(rig_recv(r, SHORT_MS), 1, "it is answered no more");
	rig_get(r, 1, 0, 100);
	ok(rig_data_is(r, "z"), "and took nothing");
	is(rig_call(r, &flush), 0, "flush of nothing");
	rig_clunk(r, 1);
}

static void test_clunk(struct rig *r, int pipe_fd)
{
	struct p9_fcall read_pipe = rig_tread(100, 1, 0, 4096);

	rig_open(r, 1, PIPE, 0);
	rig_send(r, &read_pipe);
	is(rig_clunk(r, 1), 0, "clunk a fid that is read");
	is(rig_recv(r, RIG_TIMEOUT_MS), -EINTR, "the read is interrupted");
	is(r->rep.tag, 100, "by its tag");
	write(pipe_fd, "z", 1);
	rig_open(r, 1, PIPE, P9_OPEN_NONBLOCK);
	rig_get(r, 1, 0, 100);
	ok(rig_data_is(r, "z"), "and took nothing");
	is(rig_get(r, 1, 0, 100), -EAGAIN, "who does not want to wait does not");
	rig_clunk(r, 1);
}

static void test_many(struct rig *r)
{
	struct p9_fcall read_pipe = rig_tread(0, 1, 0, 4096);
	int i;

	rig_open(r, 1, PIPE, 0);
	for (i = 0; i < FS_PENDING_MAX; i++) {
		read_pipe.tag = (u16)(1000 + i);
		rig_send(r, &read_pipe);
	}
	read_pipe.tag = 5000;
	is(rig_call(r, &read_pipe), -ENOBUFS, "too many wait");
	rig_open(r, 2, "agent/ctl", P9_OPEN_WRONLY);
	is(rig_set(r, 2, "0"), -ENOBUFS, "for orders too");
	is(rig_version(r, RIG_MSIZE), 0, "a new session");
	rig_attach(r);
	is(rig_recv(r, SHORT_MS), 1, "forgets them all");
}

static void test_order(struct rig *r)
{
	struct p9_fcall stop = rig_twrite(200, 1, "0\n");

	atomic_store(&r->settled, false);
	rig_open(r, 1, "agent/ctl", P9_OPEN_WRONLY);
	rig_send(r, &stop);
	is(rig_recv(r, SHORT_MS), 1, "a stop order waits");
	is(atomic_load(&r->ordered), 0, "but is in force");
	rig_fire(r->cfg.wake_fd);
	is(rig_recv(r, SHORT_MS), 1, "a wake-up that is not for it is none");
	atomic_store(&r->settled, true);
	rig_fire(r->cfg.wake_fd);
	is(rig_recv(r, RIG_TIMEOUT_MS), 0, "settled");
	ok(r->rep.tag == 200 && r->rep.count == 2, "all of it was written");

	atomic_store(&r->settled, false);
	rig_send(r, &stop);
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TFLUSH, .tag = 9, .oldtag = 200 }), 0,
	   "flush the wait for it");
	rig_send(r, &stop);
	is(rig_clunk(r, 1), 0, "clunk while it waits");
	is(rig_recv(r, RIG_TIMEOUT_MS), -EINTR, "interrupts it");
}

static void test_waits(void)
{
	struct rig *r = rig_session(RIG_MSIZE);
	int pipe_fd = pipe_writer(r);

	test_blocked_read(r, pipe_fd);
	test_flush(r, pipe_fd);
	test_clunk(r, pipe_fd);
	test_many(r);
	test_order(r);
	close(pipe_fd);
	rig_stop(r);
}

static void test_fids(void)
{
	struct rig *r = rig_session(RIG_MSIZE);
	u32 fid, made = 1, opened = 0;

	for (fid = 1; fid < FS_FIDS_MAX; fid++)
		made += !rig_walk(r, fid, "agent/version");
	is(made, FS_FIDS_MAX, "as many fids as allowed");
	is(rig_walk(r, fid, ""), -ENFILE, "one more");
	for (fid = 1; fid <= FS_OPEN_MAX; fid++)
		opened += !rig_call(r, &(struct p9_fcall){ .type = P9_TLOPEN, .fid = fid });
	is(opened, FS_OPEN_MAX, "as many open as allowed");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TLOPEN, .fid = fid }), -EMFILE, "one more");
	rig_clunk(r, 1);
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TLOPEN, .fid = fid }), 0, "one for one");
	rig_stop(r);
}

static void test_sizes(void)
{
	struct rig *r = rig_session(RIG_MSIZE);
	u32 fid, made = 0;
	char name[256];

	for (fid = 1; fid <= 8; fid++) {
		rig_open(r, fid, "agent/big", 0);
		made += !rig_get(r, fid, 0, 100);
	}
	is(made, 3, "texts that fit into the memory for them");
	is(rig_get(r, 8, 0, 100), -ENOMEM, "and one that does not");
	rig_clunk(r, 1);
	is(rig_get(r, 8, 0, 100), 0, "one for one");

	memset(name, 'n', 255);
	name[255] = '\0';
	rig_walk(r, 20, "tracing/instances");
	for (fid = 0; fid < 3; fid++) {
		is(rig_call(r, &(struct p9_fcall){ .type = P9_TMKDIR, .fid = 20,
			    .name = p9_str(name), .attr.mode = 0755 }), 0, "a deep directory");
		rig_call(r, &(struct p9_fcall){ .type = P9_TWALK, .fid = 20, .newfid = 20,
			 .nwalk = 1, .wname[0] = p9_str(name) });
	}
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TMKDIR, .fid = 20,
		    .name = p9_str(name), .attr.mode = 0755 }), -ENAMETOOLONG, "too deep");
	rig_stop(r);
}

static void test_msize(void)
{
	struct rig *r = rig_session(4096);
	static char text[20000];
	u8 wire[4097 + P9_HEADER_SIZE];
	struct p9_fcall req;
	int len;

	memset(text, 'x', sizeof(text) - 1);
	rig_put(r, "trace", text);
	rig_open(r, 1, "tracing/trace", P9_OPEN_RDWR);
	is(rig_get(r, 1, 0, 1 << 30), 0, "ask for more than a message holds");
	is(r->rep.data.len, 4096 - P9_HEADER_SIZE - 4, "get what fits");
	text[4096 - P9_HEADER_SIZE - 16] = '\0';
	is(rig_set(r, 1, text), 0, "the longest Twrite");
	is(r->rep.count, 4096 - P9_HEADER_SIZE - 16, "is written");
	text[4096 - P9_HEADER_SIZE - 16] = 'x';
	text[4096 - P9_HEADER_SIZE - 15] = '\0';
	req = rig_twrite(1, 1, text);
	len = p9_encode(&req, wire, sizeof(wire));
	rig_write(r, wire, (size_t)len);
	is(rig_recv(r, SHORT_MS), 1, "one byte more is no message");
	is(rig_version(r, P9_MSIZE_MAX), 0, "a Tversion mends it");
	rig_attach(r);
	rig_open(r, 1, "tracing/trace", P9_OPEN_RDWR);
	is(rig_get(r, 1, 0, P9_MSIZE_MAX), 0, "1 MiB messages");
	is(r->rep.data.len, sizeof(text) - 1, "bring all of it");
	rig_stop(r);
}

/* Many requests in one go; replies are read only when the server is stuck with them. */
static void test_pipeline(void)
{
	struct rig *r = rig_session(RIG_MSIZE);
	int i, n, small = 4096, bad = 0;
	struct p9_fcall req;
	static char text[32768];

	setsockopt(r->cfg.port_fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	memset(text, 't', sizeof(text) - 1);
	rig_put(r, "trace", text);
	rig_open(r, 1, "tracing/trace", 0);
	fcntl(r->fd, F_SETFL, O_NONBLOCK);
	for (n = 0; n < 5000; n++) {
		u8 buf[64];

		req = rig_tread((u16)n, 1, 0, 30000);
		i = p9_encode(&req, buf, sizeof(buf));
		if (write(r->fd, buf, (size_t)i) != i)
			break;
	}
	ok(n > 50 && n < 5000, "%d requests wait for a client that reads no replies", n);
	fcntl(r->fd, F_SETFL, 0);
	usleep(100 * 1000);
	for (i = 0; i < n; i++)
		bad += rig_recv(r, RIG_TIMEOUT_MS) || r->rep.tag != i ||
		       r->rep.data.len != 30000;
	is(bad, 0, "all are answered in order");
	rig_stop(r);
}

/* A client vanishes behind each byte of a request, unseen; the next says hello at once. */
static void test_cuts(void)
{
	struct rig *r = rig_session(RIG_MSIZE);
	static char text[3000];
	struct p9_fcall req;
	int len, cut, deaf = 0, dead = 0;
	u8 buf[4096];

	memset(text, '5', sizeof(text) - 1);
	rig_put(r, "set_event", "untouched");
	req = rig_twrite(1, 1, text);
	len = p9_encode(&req, buf, sizeof(buf));
	for (cut = 0; cut < len; cut += cut < 40 || cut > len - 30 ? 1 : 211) {
		rig_open(r, 1, "tracing/set_event", P9_OPEN_WRONLY);
		rig_write(r, buf, (size_t)cut);
		deaf += rig_version(r, RIG_MSIZE) != 0;
		dead += rig_attach(r) != 0;
	}
	is(deaf, 0, "a Tversion behind half a Twrite is answered");
	is(dead, 0, "and the session works");
	ok(rig_has(r, "set_event", "untouched"), "nothing was written");
	rig_stop(r);
}

static void test_no_session(void)
{
	struct rig *r = rig_start();

	rig_send(r, &(struct p9_fcall){ .type = P9_TCLUNK, .fid = 1 });
	is(rig_recv(r, SHORT_MS), 1, "before a Tversion nothing is answered");
	is(rig_version(r, RIG_MSIZE), 0, "then it is");
	shutdown(r->fd, SHUT_RDWR);
	rig_stop(r);
}

int main(void)
{
	test_waits();
	test_fids();
	test_sizes();
	test_msize();
	test_pipeline();
	test_cuts();
	test_no_session();
	return done();
}
