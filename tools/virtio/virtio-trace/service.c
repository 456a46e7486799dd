// SPDX-License-Identifier: GPL-2.0-only
/* Who serves agent-fs-path, for as long as the agent lives? */
#include "service.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "port.h"

#define SERVICE_RETRY_MS 1000	/* how often a vanished port is looked for */
#define SERVICE_STACK_SIZE (128 * 1024)

static int service_serve(struct service *s, struct port *port)
{
	struct fs_config cfg = {
		.port_fd = port->fd,
		.stop_fd = s->stop_fd,
		.wake_fd = s->agent->acked_fd,
		.tracing = s->agent->tracing,
		.kallsyms = "/proc/kallsyms",
		.files = service_files,
		.ctx = s->agent,
	};

	return fs_serve(&cfg);
}

/* Waits for the port to come back; false when the service is to end. */
static bool service_find_port(struct service *s, struct port *port)
{
	struct pollfd stop = { .fd = s->stop_fd, .events = POLLIN };

	while (port_open(PORT_FS, port))
		if (poll(&stop, 1, SERVICE_RETRY_MS) > 0)
			return false;
	return true;
}

static void *service_main(void *arg)
{
	struct service *s = arg;
	struct port port;
	int ret;

	while (service_find_port(s, &port)) {
		ret = service_serve(s, &port);
		port_close(&port);
		if (!ret)
			break;
		msg_err(ret, PORT_FS ": serve");
	}
	return NULL;
}

int service_start(struct service *s, struct agent *agent)
{
	struct port port = { .fd = -1 };
	pthread_attr_t attr;
	int ret;

	/* Once here, so that the fault is known at start. */
	ret = port_open(PORT_FS, &port);
	if (ret)
		return ret;
	port_close(&port);

	s->agent = agent;
	s->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (s->stop_fd < 0)
		return -errno;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, SERVICE_STACK_SIZE);
	ret = pthread_create(&s->thread, &attr, service_main, s);
	pthread_attr_destroy(&attr);
	if (ret)
		close(s->stop_fd);
	return -ret;
}

void service_stop(struct service *s)
{
	io_event_fire(s->stop_fd);
	pthread_join(s->thread, NULL);
	close(s->stop_fd);
}
