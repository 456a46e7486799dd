// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mounts the 9P server behind a virtio-serial port with the kernel's own client.
 *
 *   fd-mount PORT DIR [MORE-OPTIONS]
 *
 * The kernel's trans=fd wants files it can read from inside the kernel, which a port
 * is not; so a child stays behind and carries bytes between the port and a socket.
 */
#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

static int carry(int from, int to)
{
	char buf[65536];
	ssize_t n, done, put;

	n = read(from, buf, sizeof(buf));
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	for (done = 0; done < n; done += put) {
		put = write(to, buf + done, n - done);
		if (put < 0)
			return -errno;
	}
	return n;
}

/* Ends when the kernel has closed its end: the file system is unmounted. */
static int carry_on(int port, int sock)
{
	struct pollfd fds[] = {
		{ .fd = port, .events = POLLIN }, { .fd = sock, .events = POLLIN },
	};
	int ret = 1;

	while (ret >= 0 && poll(fds, 2, -1) > 0) {
		if (fds[0].revents & POLLIN)
			ret = carry(port, sock);
		if (ret >= 0 && fds[1].revents) {
			ret = carry(sock, port);
			if (ret == 0)
				return 0;
		}
	}
	return ret;
}

int main(int argc, char **argv)
{
	char options[512];
	int port, ends[2];

	if (argc < 3) {
		fprintf(stderr, "usage: fd-mount PORT DIR [OPTIONS]\n");
		return 2;
	}
	port = open(argv[1], O_RDWR);
	if (port < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) {
		perror(argv[1]);
		return 1;
	}
	if (!fork()) {
		close(ends[0]);
		setsid();
		return carry_on(port, ends[1]) ? 1 : 0;
	}
	close(ends[1]);
	snprintf(options, sizeof(options), "trans=fd,rfdno=%d,wfdno=%d,version=9p2000.L,%s",
		 ends[0], ends[0], argc > 3 ? argv[3] : "cache=none");
	if (mount("none", argv[2], "9p", 0, options)) {
		fprintf(stderr, "fd-mount: %s on %s: %s\n", options, argv[2], strerror(errno));
		return 1;
	}
	return 0;
}
