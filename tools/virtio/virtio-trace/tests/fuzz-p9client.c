// SPDX-License-Identifier: GPL-2.0-only
/* Can anything a server says harm the 9P client? */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../host/p9client.h"

#define INPUT_MAX 65536

/* libFuzzer looks for this name. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

static int sink(void *to, const void *data, size_t len)
{
	u8 *sum = to;
	size_t i;

	for (i = 0; i < len; i++)
		*sum += ((const u8 *)data)[i];
	return 0;
}

static int name(void *to, const char *entry, bool is_dir)
{
	return sink(to, entry, strlen(entry) + is_dir);
}

/* What begins a session well, so that the fuzzer need not find it out. */
static void say_hello(int fd)
{
	const struct p9_fcall hello[] = {
		{ .type = P9_RVERSION, .tag = P9_NOTAG, .msize = 8192,
		  .version = p9_str(P9_VERSION_STRING) },
		{ .type = P9_RATTACH, .tag = 0 },
	};
	u8 buf[64];
	size_t i;
	int len;

	for (i = 0; i < ARRAY_SIZE(hello); i++) {
		len = p9_encode(&hello[i], buf, sizeof(buf));
		if (len < 0 || write(fd, buf, len) != len)
			abort();
	}
}

static void use(struct p9client *client)
{
	u8 sum = 0;

	client->source.read(&client->source, "a/b", sink, &sum);
	client->source.list(&client->source, "c", name, &sum);
	p9client_write(client, "d", "x", 1, true);
	p9client_mkdir(client, "e");
	p9client_rmdir(client, "e");
}

/* The first byte tells whether the session begins well; the rest is what the server says. */
int fuzz_one(const u8 *data, size_t size)
{
	struct p9client *client;
	int fds[2];

	if (!size || size > INPUT_MAX)
		return 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds))
		abort();
	if (data[0] & 1)
		say_hello(fds[1]);
	if (write(fds[1], data + 1, size - 1) != (ssize_t)size - 1)
		abort();
	/* Questions are still taken, but nothing more is said: no wait is ever long. */
	shutdown(fds[1], SHUT_WR);
	if (!p9client_open(fds[0], "fuzz", 1000, &client)) {
		use(client);
		p9client_close(client);
	}
	close(fds[1]);
	return 0;
}
