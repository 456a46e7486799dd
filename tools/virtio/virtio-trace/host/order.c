// SPDX-License-Identifier: GPL-2.0-only
/* How is an order given where there is only a FIFO, and who knows that it was taken? */
#include "order.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../msg.h"

#define ORDER_LOOK_MS 10

/* Nothing tells a writer that its bytes were read, so look again and again. */
static int order_wait_taken(int fd, u32 wait_ms)
{
	u32 waited;
	int unread;

	for (waited = 0; ; waited += ORDER_LOOK_MS) {
		if (ioctl(fd, FIONREAD, &unread))
			return -errno;
		if (!unread)
			return 0;
		if (waited >= wait_ms)
			return -ETIMEDOUT;
		poll(NULL, 0, ORDER_LOOK_MS);
	}
}

/* Takes back all that is unread; an order that is gone by now was taken after all. */
static int order_withdraw(const struct guest *guest)
{
	char orders[64];
	ssize_t n, sum = 0;
	int fd;

	fd = openat(guest->dir_fd, GUEST_CTL ".in", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return msg_err(errno, "guest %s: withdraw the order from %s/" GUEST_CTL ".in",
			       guest->name, guest->dir);
	while ((n = read(fd, orders, sizeof(orders))) > 0)
		sum += n;
	close(fd);
	if (!sum)
		return 0;
	msg_err(0, "guest %s: the order was not taken: is trace-agent running in the guest?",
		guest->name);
	return -ETIMEDOUT;
}

int order_by_fifo(const struct guest *guest, bool start, u32 wait_ms)
{
	int fd, ret = 0;

	fd = guest_open_ctl(guest);
	if (fd < 0)
		return fd;
	if (write(fd, start ? "1" : "0", 1) != 1)
		ret = msg_err(errno, "guest %s: write the order to %s/" GUEST_CTL ".in",
			      guest->name, guest->dir);
	if (!ret)
		ret = order_wait_taken(fd, wait_ms);
	if (ret == -ETIMEDOUT)
		ret = order_withdraw(guest);
	close(fd);
	return ret;
}
