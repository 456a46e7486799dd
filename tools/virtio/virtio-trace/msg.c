// SPDX-License-Identifier: GPL-2.0-only
/* How the programs speak to people. */
#include "msg.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MSG_MAX 1024

static void __printf(2, 0) msg_write(int err, const char *fmt, va_list ap)
{
	char line[MSG_MAX];
	size_t len, i;

	len = snprintf(line, sizeof(line), "%s: ", program_invocation_short_name);
	if (len > 64)
		len = 64;
	vsnprintf(line + len, sizeof(line) - len, fmt, ap);
	len = strlen(line);
	if (err)
		snprintf(line + len, sizeof(line) - len, ": %s", strerror(abs(err)));

	len = strlen(line);
	for (i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = '?';
	if (len > sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	/* One write per line; nobody is left to tell if stderr is gone. */
	if (write(STDERR_FILENO, line, len) < 0)
		return;
}

int msg_err(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_write(err, fmt, ap);
	va_end(ap);
	return -abs(err);
}

void msg_info(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_write(0, fmt, ap);
	va_end(ap);
}
