// SPDX-License-Identifier: GPL-2.0-only
/* What does the host order? */
#include "control.h"

#include <errno.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"

#define CONTROL_QUIET_MS 5000	/* between two messages about what is no order */

int order_next(const char **text, const char *end, bool *run)
{
	char c;

	while (*text < end) {
		c = *(*text)++;
		if (c == '\n')
			continue;
		*run = c == '1';
		return c == '1' || c == '0' ? 1 : -EINVAL;
	}
	return 0;
}

static void control_ignore(struct control *ctl)
{
	u64 now = io_now_ms();

	ctl->ignored++;
	if (ctl->said_ms && now - ctl->said_ms < CONTROL_QUIET_MS)
		return;
	msg_info(PORT_CTL ": %u bytes ignored that are no order (1: start, 0: stop)",
		 ctl->ignored);
	ctl->ignored = 0;
	ctl->said_ms = now;
}

static void control_obey(struct control *ctl, struct agent *agent, const char *text, size_t len)
{
	const char *end = text + len;
	bool run;
	int ret;

	while ((ret = order_next(&text, end, &run))) {
		if (ret < 0) {
			control_ignore(ctl);
			continue;
		}
		if (agent->opt.verbosity)
			msg_info(PORT_CTL ": %s", run ? "start" : "stop");
		agent_order(agent, run);
	}
}

int control_read(struct control *ctl, struct agent *agent)
{
	char text[64];
	ssize_t n;

	while ((n = read(ctl->port.fd, text, sizeof(text))) > 0)
		control_obey(ctl, agent, text, n);
	/* 0 is not the end: it says that no host is connected. */
	if (n == 0 || errno == EAGAIN || errno == EINTR)
		return 0;
	return -errno;
}
