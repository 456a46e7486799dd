// SPDX-License-Identifier: GPL-2.0-only
/* Does the 9P client get what a good server serves, and survive what a bad one says? */
#include "../host/guest.h"
#include "../host/p9client.h"
#include "peer.h"

#define TIMEOUT_MS 300

struct text {
	char s[512];
	size_t len;
};

static int text_sink(void *to, const void *data, size_t len)
{
	struct text *text = to;

	if (text->len + len >= sizeof(text->s))
		return -EFBIG;
	memcpy(text->s + text->len, data, len);
	text->len += len;
	text->s[text->len] = '\0';
	return 0;
}

static int text_name(void *to, const char *entry, bool is_dir)
{
	char line[300];

	snprintf(line, sizeof(line), "%s%s ", entry, is_dir ? "/" : "");
	return text_sink(to, line, strlen(line));
}

static int read_into(struct p9client *client, const char *path, struct text *text)
{
	text->len = 0;
	text->s[0] = '\0';
	return client->source.read(&client->source, path, text_sink, text);
}

static struct p9client *connect_to(struct peer *peer)
{
	struct p9client *client = NULL;
	struct guest guest;

	if (guest_open(NULL, peer->guest, &guest))
		return NULL;
	is(p9client_open(guest_connect_fs(&guest), "peer", 5000, &client), 0,
	   "a session with a good server begins");
	guest_close(&guest);
	return client;
}

static void test_files(struct p9client *client, struct peer *peer)
{
	struct text text;

	is(read_into(client, "tracing/tracing_on", &text), 0, "a file is read");
	ok(!strcmp(text.s, "1\n"), "as it is");
	is(read_into(client, "agent/ctl", &text), 0, "so is one of the agent");
	is(read_into(client, "tracing/nosuch", &text), -ENOENT, "a missing file is ENOENT");
	is(read_into(client, "nosuch/deep/path", &text), -ENOENT, "so is a missing directory");
	is(read_into(client, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q", &text), -ENAMETOOLONG,
	   "a path too deep is refused");
	is(p9client_write(client, "tracing/trace_clock", "mono\n", 5, true), 0,
	   "a file is written");
	ok(!strcmp(peer_get(peer, "trace_clock"), "mono\n"), "and replaced");
	is(p9client_write(client, "tracing/trace_clock", "M", 1, false), 0,
	   "a file is written without being emptied");
	ok(!strcmp(peer_get(peer, "trace_clock"), "Mono\n"), "and kept");
	is(p9client_write(client, "agent/ctl", "x", 1, false), -EINVAL,
	   "the guest's errno comes back");
	is(p9client_mkdir(client, "tracing/instances/foo"), 0, "a directory is made");
	is(p9client_mkdir(client, "tracing/instances/foo"), -EEXIST, "but once");
	is(p9client_rmdir(client, "tracing/instances/foo"), 0, "and removed");
	is(p9client_rmdir(client, "tracing/instances/foo"), -ENOENT, "but once");
	is(p9client_mkdir(client, ""), -EINVAL, "a directory needs a name");
}

static void test_list(struct p9client *client)
{
	struct text text = { .len = 0 };

	is(client->source.list(&client->source, "tracing/events", text_name, &text), 0,
	   "a directory is listed");
	ok(strstr(text.s, "sched/ ") && strstr(text.s, "header_page "),
	   "with directories and files");
	ok(!strstr(text.s, "./ "), "but not itself");
	is(client->source.list(&client->source, "tracing/tracing_on", text_name, &text), -ENOTDIR,
	   "a file is no directory");
}

static int sink_refuses(void *to, const void *data, size_t len)
{
	(void)to;
	(void)data;
	(void)len;
	return -EDOM;
}

static void test_sink_and_cancel(struct p9client *client)
{
	struct text text;
	u64 one = 1;
	int fd = eventfd(0, EFD_CLOEXEC);

	is(client->source.read(&client->source, "kallsyms", sink_refuses, NULL), -EDOM,
	   "a sink's error is handed through");
	client->session.cancel_fd = fd;
	is(read_into(client, "kallsyms", &text), 0, "an idle cancel does nothing");
	if (write(fd, &one, sizeof(one)) != sizeof(one))
		abort();
	is(read_into(client, "kallsyms", &text), -EINTR, "a cancel ends requests");
	client->session.cancel_fd = -1;
	is(read_into(client, "kallsyms", &text), 0, "and not the session");
	close(fd);
}

static void test_good_server(void)
{
	struct p9client *client;
	struct peer peer;

	peer_init(&peer);
	peer_start(&peer);
	client = connect_to(&peer);
	if (client) {
		test_files(client, &peer);
		test_list(client);
		test_sink_and_cancel(client);
	}
	p9client_close(client);
	peer_stop(&peer);
	peer_exit(&peer);
}

/* A server that has said all it will say before it was asked. */
static int bad_server(const struct p9_fcall *says, size_t count, int *server)
{
	u8 buf[4096];
	int fds[2], len;
	size_t i;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		abort();
	for (i = 0; i < count; i++) {
		len = p9_encode(&says[i], buf, sizeof(buf));
		if (len < 0 || write(fds[1], buf, len) != len)
			abort();
	}
	*server = fds[1];
	return fds[0];
}

#define RVERSION { .type = P9_RVERSION, .tag = P9_NOTAG, .msize = 8192, \
		   .version = { P9_VERSION_STRING, 8 } }
#define RATTACH { .type = P9_RATTACH, .tag = 0 }

static int open_and_read(const struct p9_fcall *says, size_t count)
{
	struct p9client *client;
	struct text text;
	int fd, server, ret;

	fd = bad_server(says, count, &server);
	ret = p9client_open(fd, "bad", TIMEOUT_MS, &client);
	if (!ret) {
		ret = read_into(client, "x", &text);
		if (ret < 0 && client->session.dead)
			is(read_into(client, "x", &text), ret, "a dead session stays dead");
		p9client_close(client);
	}
	close(server);
	return ret;
}

static void test_bad_servers(void)
{
	static const struct p9_fcall silent[] = { RVERSION, RATTACH };
	static const struct p9_fcall wrong_tag[] = {
		RVERSION, RATTACH, { .type = P9_RWALK, .tag = 7 } };
	static const struct p9_fcall wrong_type[] = {
		RVERSION, RATTACH, { .type = P9_RCLUNK, .tag = 1 } };
	static const struct p9_fcall no_error[] = {
		RVERSION, RATTACH, { .type = P9_RLERROR, .tag = 1, .ecode = 1u << 31 } };
	static const struct p9_fcall too_much[] = {
		RVERSION, RATTACH, { .type = P9_RWALK, .tag = 1, .nwalk = 9 } };
	static const struct p9_fcall asked_twice[] = {
		RVERSION, RVERSION, RATTACH, { .type = P9_RLERROR, .tag = 1, .ecode = EPERM } };
	static const struct p9_fcall tiny[] = {
		{ .type = P9_RVERSION, .tag = P9_NOTAG, .msize = 100,
		  .version = { P9_VERSION_STRING, 8 } } };
	static const struct p9_fcall stale[] = {
		{ .type = P9_RCLUNK, .tag = 900 }, { .type = P9_RMKDIR, .tag = P9_NOTAG },
		RVERSION, RATTACH, { .type = P9_RLERROR, .tag = 1, .ecode = EPERM } };

	is(open_and_read(NULL, 0), -ETIMEDOUT, "no answer at all");
	is(open_and_read(silent, 2), -ETIMEDOUT, "no answer to a request");
	is(open_and_read(wrong_tag, 3), -EPROTO, "an answer to somebody else");
	is(open_and_read(wrong_type, 3), -EPROTO, "an answer to another question");
	is(open_and_read(no_error, 3), -EPROTO, "an error that is none");
	is(open_and_read(too_much, 3), -EPROTO, "more than was asked for");
	is(open_and_read(tiny, 1), -EPROTO, "messages too small");
	is(open_and_read(stale, 5), -EPERM, "answers to somebody who left are skipped");
	is(open_and_read(asked_twice, 4), -EPERM, "a second answer to the first question as well");
}

static void test_broken_bytes(void)
{
	static const u8 huge[] = { 0xff, 0xff, 0xff, 0x7f, P9_RWALK, 1, 0 };
	static const struct p9_fcall says[] = { RVERSION, RATTACH };
	struct p9client *client;
	struct text text;
	int fd, server;

	fd = bad_server(says, 2, &server);
	is(p9client_open(fd, "bad", TIMEOUT_MS, &client), 0, "a session begins");
	if (write(server, huge, sizeof(huge)) != sizeof(huge))
		abort();
	is(read_into(client, "x", &text), -EPROTO, "a message larger than agreed is refused");
	p9client_close(client);
	close(server);

	fd = bad_server(says, 2, &server);
	is(p9client_open(fd, "bad", TIMEOUT_MS, &client), 0, "a session begins");
	close(server);
	ok(read_into(client, "x", &text) < 0, "a server that goes away is noticed");
	p9client_close(client);
}

struct counter {
	int fd;
	int runs;
};

/* Moves something 20 times, then never again. */
static bool counter_run(void *ctx)
{
	struct counter *counter = ctx;
	u64 one;

	poll(NULL, 0, 50);
	if (++counter->runs < 20)
		return true;
	return read(counter->fd, &one, sizeof(one)) < 0;
}

static void test_pump(void)
{
	static const struct p9_fcall says[] = { RVERSION, RATTACH };
	struct counter counter = { .fd = eventfd(1, EFD_CLOEXEC) };
	struct p9client *client;
	struct text text;
	int fd, server;

	fd = bad_server(says, 2, &server);
	is(p9client_open(fd, "bad", TIMEOUT_MS, &client), 0, "a session begins");
	client->session.pump = (struct p9pump){
		.fd = counter.fd, .run = counter_run, .ctx = &counter,
	};
	client->session.patient = true;
	is(read_into(client, "x", &text), -ETIMEDOUT, "a wait ends");
	is(counter.runs, 20, "but not while the pump moves something");
	p9client_close(client);
	close(server);
	close(counter.fd);
}

int main(void)
{
	test_good_server();
	test_bad_servers();
	test_broken_bytes();
	test_pump();
	return done();
}
