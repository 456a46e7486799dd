// SPDX-License-Identifier: GPL-2.0-only
/* trace-agent: ships the guest's ftrace ring buffer to the host over virtio-serial. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent.h"
#include "control.h"
#include "daemonize.h"
#include "msg.h"
#include "opt.h"
#include "selftest.h"
#include "service.h"
#include "version.h"

#define PIPE_SIZE_DEFAULT (1024 * 1024)
#define PIPE_SIZE_MIN (64 * 1024)
#define PIPE_SIZE_MAX (16 * 1024 * 1024)
#define LATENCY_DEFAULT_MS 1000
#define CONTROL_RETRY_MS 1000	/* how often a vanished control port is looked for */
#define EXIT_USAGE 2

static int agent_want_cpus(void *to, const char *text)
{
	struct agent_options *opt = to;

	if (!*text || cpulist_parse(text, &opt->cpus))
		return msg_err(EINVAL, "--cpus %s: not a list such as 0-3,5", text);
	opt->cpus_given = true;
	return 0;
}

#define FIELD(name) offsetof(struct agent_options, name)

static const struct opt options[] = {
	{ 'o', "stdout", NULL, "write trace data to stdout instead of the ports",
	  .kind = OPT_FLAG, .offset = FIELD(use_stdout) },
	{ 's', "pipe-size", "SIZE", "size of each relay's pipe, 64K to 16M; default 1M",
	  .kind = OPT_SIZE, .offset = FIELD(pipe_size),
	  .min = PIPE_SIZE_MIN, .max = PIPE_SIZE_MAX },
	{ 'i', "instance", "NAME", "ship from this tracefs instance",
	  .kind = OPT_STRING, .offset = FIELD(instance) },
	{ 'c', "cpus", "LIST", "ship only these CPUs, such as 0-3,5",
	  .kind = OPT_CALL, .call = agent_want_cpus },
	{ 'l', "latency", "TIME", "keep no event back for longer; default 1s",
	  .kind = OPT_TIME, .offset = FIELD(latency_ms), .min = 1, .max = 3600 * 1000 },
	{ 'd', "daemon", NULL, "go to the background once everything is ready",
	  .kind = OPT_FLAG, .offset = FIELD(daemonize) },
	{ 'v', "verbose", NULL, "tell orders and, at the end, what was shipped;\ntwice: more",
	  .kind = OPT_COUNT, .offset = FIELD(verbosity) },
	{ 't', "self-test", NULL, "see whether everything needed is there, and end",
	  .kind = OPT_FLAG, .offset = FIELD(self_test) },
	{ 'h', "help", NULL, "show this help", .kind = OPT_HELP },
	{ 'V', "version", NULL, "show the version", .kind = OPT_VERSION },
	{ 0 }
};

static void usage(void)
{
	printf("Usage: trace-agent [OPTION]...\n"
	       "Ship this guest's kernel trace to its host through virtio-serial ports.\n\n");
	opt_help(options);
	printf("\nIt waits for orders on the port " PORT_CTL ": 1 starts, 0 stops.\n");
}

static void signals_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* Signals are taken from a file by the main thread; no thread is interrupted by one. */
static int signals_open(void)
{
	sigset_t set;
	int fd;

	signals_set(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Obeys orders until a signal comes or the port goes; -errno when it is gone. */
static int control_loop(struct control *ctl, struct agent *agent, int signal_fd)
{
	struct epoll_event event;
	int watch, n, ret = 0;

	watch = port_watch(ctl->port.fd, signal_fd);
	if (watch < 0)
		return watch;
	do {
		n = epoll_wait(watch, &event, 1, -1);
		if (n < 0 && errno != EINTR)
			ret = -errno;
		else if (n > 0 && event.data.fd != signal_fd)
			ret = control_read(ctl, agent);
	} while (!ret && (n <= 0 || event.data.fd != signal_fd));
	close(watch);
	return ret;
}

static int agent_run(struct agent *agent, struct control *ctl, int signal_fd)
{
	struct timespec retry = { .tv_sec = CONTROL_RETRY_MS / 1000 };
	sigset_t set;
	int ret;

	while ((ret = control_loop(ctl, agent, signal_fd))) {
		msg_err(ret, PORT_CTL ": read orders");
		port_close(&ctl->port);
		signals_set(&set);
		do {
			if (sigtimedwait(&set, NULL, &retry) > 0)
				return 0;
		} while (port_open(PORT_CTL, &ctl->port));
		msg_info(PORT_CTL ": is back");
	}
	return 0;
}

static int agent_main(struct agent *agent, int ready_fd)
{
	struct control ctl = { .port.fd = -1 };
	struct service service;
	int signal_fd, ret;
	bool served;

	signal_fd = signals_open();
	if (signal_fd < 0)
		return msg_err(signal_fd, "take signals");
	ret = port_open(PORT_CTL, &ctl.port);
	if (ret) {
		msg_err(ret, "open the port " PORT_CTL "%s", ret == -EBUSY ?
			" (does another trace-agent run?)" : "");
		goto err_signals;
	}
	ret = agent_init(agent);
	if (ret)
		goto err_ctl;
	ret = service_start(&service, agent);
	served = !ret;
	if (ret && (ret != -ENODEV || agent->opt.verbosity))
		msg_err(ret, "serve " PORT_FS);
	ret = ready_fd >= 0 ? daemonize_ready(ready_fd) : 0;
	if (ret)
		msg_err(ret, "go to the background");
	else
		ret = agent_run(agent, &ctl, signal_fd);
	if (served)
		service_stop(&service);
	agent_exit(agent);
err_ctl:
	port_close(&ctl.port);
err_signals:
	close(signal_fd);
	return ret;
}

int main(int argc, char **argv)
{
	struct agent agent = {
		.opt = { .pipe_size = PIPE_SIZE_DEFAULT, .latency_ms = LATENCY_DEFAULT_MS },
	};
	int ret, status, ready_fd = -1;

	ret = opt_parse(options, argc, argv, &agent.opt);
	if (ret == OPT_WANT_HELP) {
		usage();
		return EXIT_SUCCESS;
	}
	if (ret == OPT_WANT_VERSION) {
		printf("trace-agent " VIRTIO_TRACE_VERSION "\n");
		return EXIT_SUCCESS;
	}
	if (!ret && optind < argc)
		ret = msg_err(EINVAL, "%s: trace-agent takes options only", argv[optind]);
	if (ret)
		return EXIT_USAGE;
	if (agent.opt.self_test)
		return selftest_run(&agent.opt) ? EXIT_FAILURE : EXIT_SUCCESS;
	if (agent.opt.daemonize) {
		ret = daemonize_begin(&ready_fd, &status);
		if (ret < 0)
			msg_err(ret, "go to the background");
		if (ret)
			return ret < 0 ? EXIT_FAILURE : status;
	}
	return agent_main(&agent, ready_fd) ? EXIT_FAILURE : EXIT_SUCCESS;
}
