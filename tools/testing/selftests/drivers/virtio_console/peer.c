// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is on the host's side of the ports "selftest.peer" and "selftest.orders"?
 *
 * usage: peer DATA ORDERS
 *
 * Both are sockets that QEMU listens at. What comes from DATA is sent back. Each byte from
 * ORDERS is an order of the guest's, and is sent back when it was followed:
 *
 *	h	hold: neither read nor write
 *	r	read again
 *	t	throw away: read, and send nothing back
 *	a	away: close the connection
 *	b	back: connect, and read
 *
 * It ends when the guest does.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char *data_path;
static char data[65536];
static size_t data_start, data_end;
static bool held, thrown;

static int connect_once(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	close(fd);

	return -errno;
}

/* QEMU comes some time after us, and takes one connection at a time. */
static int connect_wait(const char *path)
{
	int tries, fd = -ENOENT;

	for (tries = 300; tries && fd < 0; tries--) {
		fd = connect_once(path);
		if (fd < 0)
			usleep(100000);
	}
	if (fd < 0)
		fprintf(stderr, "peer: %s: %s\n", path, strerror(-fd));

	return fd;
}

/* Returns false when there is nobody any more to send data to. */
static bool data_move(int fd, short events)
{
	ssize_t n;

	if (data_start == data_end && events & (POLLIN | POLLHUP)) {
		n = recv(fd, data, sizeof(data), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return false;
		data_start = 0;
		data_end = n > 0 && !thrown ? n : 0;
	} else if (data_start < data_end && events & (POLLOUT | POLLHUP)) {
		n = send(fd, data + data_start, data_end - data_start,
			 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			return false;
		data_start += n > 0 ? n : 0;
	}
	return true;
}

static int order_follow(char order, int fd)
{
	switch (order) {
	case 'h':
		held = true;
		break;
	case 'r':
	case 't':
		held = false;
		thrown = order == 't';
		break;
	case 'a':
		if (fd >= 0)
			close(fd);
		data_start = data_end;
		return -1;
	case 'b':
		held = false;
		thrown = false;
		if (fd < 0)
			return connect_wait(data_path);
		break;
	}
	return fd;
}

static int serve(int fd, int orders)
{
	char order;

	for (;;) {
		struct pollfd p[2] = {
			{ .fd = orders, .events = POLLIN },
			{ .fd = held ? -1 : fd,
			  .events = data_start < data_end ? POLLOUT : POLLIN },
		};

		if (poll(p, 2, -1) < 0)
			return 1;
		if (p[0].revents) {
			if (read(orders, &order, 1) != 1)
				return 0;
			fd = order_follow(order, fd);
			if (write(orders, &order, 1) != 1)
				return 0;
		} else if (!data_move(fd, p[1].revents)) {
			return 0;
		}
	}
}

int main(int argc, char **argv)
{
	int fd, orders;

	if (argc != 3) {
		fprintf(stderr, "usage: peer DATA ORDERS\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	data_path = argv[1];
	fd = connect_wait(data_path);
	orders = connect_wait(argv[2]);
	if (fd < 0 || orders < 0)
		return 1;

	return serve(fd, orders);
}
