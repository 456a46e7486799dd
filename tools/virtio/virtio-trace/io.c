// SPDX-License-Identifier: GPL-2.0-only
/* Reading small files, firing events, telling the time. */
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

ssize_t io_read_file(char *buf, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	ssize_t n = 0, len = 0;
	va_list ap;
	int fd, ret;

	va_start(ap, fmt);
	ret = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (ret < 0 || (size_t)ret >= sizeof(path))
		return -ENAMETOOLONG;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while ((size_t)len < size - 1) {
		n = read(fd, buf + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
	}
	ret = n < 0 ? -errno : 0;
	close(fd);
	buf[len] = '\0';
	return ret ? ret : len;
}

void io_event_fire(int fd)
{
	u64 one = 1;

	/* Can fail only when the counter is full, and then it is readable. */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

void io_event_clear(int fd)
{
	u64 count;

	/* EAGAIN: it was clear. */
	if (read(fd, &count, sizeof(count)) < 0)
		return;
}

u64 io_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}
