// SPDX-License-Identifier: GPL-2.0-only
/* What, if anything, keeps the agent from working in this guest? */
#include "selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "port.h"
#include "pump.h"
#include "tracefs.h"

#define SELFTEST_INSTANCE "trace-agent-self-test"

/**
 * struct selftest - the checks so far
 * @count: how many
 * @failed: how many of them failed
 */
struct selftest {
	int count;
	int failed;
};

static bool __printf(3, 4) check(struct selftest *t, int err, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", err ? "not " : "", ++t->count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	if (err)
		printf(": %s", strerror(-err));
	printf("\n");
	t->failed += !!err;
	return !err;
}

static void check_skip(struct selftest *t, const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++t->count, name, why);
}

/* What a busy port means is told: the agent itself has it open. */
static int check_port(struct selftest *t, const char *name)
{
	struct port port = { .fd = -1 };
	int ret;

	ret = port_open(name, &port);
	if (ret == -EBUSY)
		check_skip(t, name, "in use, by a trace-agent that runs?");
	else
		check(t, ret, "port %s opens%s", name,
		      !ret && !port.indirect ? " (no indirect descriptors: slow)" : "");
	port_close(&port);
	return ret;
}

static void check_ports(struct selftest *t, const struct agent_options *opt)
{
	char text[4096], name[PORT_NAME_MAX];
	struct cpulist possible;
	unsigned int cpu;
	ssize_t len;

	check_port(t, PORT_CTL);
	if (port_exists(PORT_FS))
		check_port(t, PORT_FS);
	else
		check_skip(t, "port " PORT_FS, "not there: the host gets no metadata, no ledger");
	len = io_read_file(text, sizeof(text), "/sys/devices/system/cpu/possible");
	if (len >= 0)
		len = cpulist_parse(text, &possible);
	if (!check(t, len, "possible CPUs are known"))
		return;
	for (cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!cpulist_has(&possible, cpu) ||
		    (opt->cpus_given && !cpulist_has(&opt->cpus, cpu)))
			continue;
		snprintf(name, sizeof(name), PORT_CPU_FMT, cpu);
		check_port(t, name);
	}
}

static void check_marker(struct selftest *t, const char *dir)
{
	static const char text[] = "self-test";
	char path[PATH_MAX + 16];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/trace_marker", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, sizeof(text)) < 0)
		err = -errno;
	check(t, err, "trace_marker takes an event");
	if (fd >= 0)
		close(fd);
}

/* One event goes into a ring of its own, and comes out the way a relay takes it. */
static void check_ring(struct selftest *t, const char *dir, size_t pipe_size)
{
	char path[PATH_MAX + 64];
	struct pump p = { .out = -1 };
	ssize_t n;

	n = tracefs_subbuf_size(dir);
	if (!check(t, n < 0 ? (int)n : 0, "the sub-buffer size is known (%zd bytes)", n) ||
	    !check(t, pump_init(&p, pipe_size), "a pipe holds %zu bytes", pipe_size))
		return;
	snprintf(path, sizeof(path), "%s/per_cpu/cpu%d/trace_pipe_raw", dir, sched_getcpu());
	if (check(t, pump_open(&p, path, n, PUMP_CHAIN_MAX), "trace_pipe_raw opens")) {
		check_marker(t, dir);
		n = pump_take(&p);
		check(t, n == -EAGAIN ? 0 : n < 0 ? (int)n : -EBADMSG,
		      "splice leaves a partly filled sub-buffer");
		n = pump_take_partial(&p);
		check(t, n < 0 ? (int)n : 0, "read takes it");
	}
	pump_exit(&p);
}

static void check_path(struct selftest *t, const char *tracing, size_t pipe_size)
{
	cpu_set_t before, here;
	char dir[PATH_MAX];
	int ret;

	ret = tracefs_dir(tracing, SELFTEST_INSTANCE, dir, sizeof(dir));
	if (!ret && mkdir(dir, 0700) && errno != EEXIST)
		ret = -errno;
	if (!check(t, ret, "an instance can be made"))
		return;
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof(here), &here);
	check_ring(t, dir, pipe_size);
	sched_setaffinity(0, sizeof(before), &before);
	check(t, rmdir(dir) ? -errno : 0, "the instance can be removed");
}

int selftest_run(const struct agent_options *opt)
{
	struct selftest t = { 0 };
	char tracing[PATH_MAX];

	if (check(&t, tracefs_find(tracing, sizeof(tracing)), "tracefs is mounted"))
		check_path(&t, tracing, opt->pipe_size);
	check_ports(&t, opt);
	printf("1..%d\n", t.count);
	return t.failed;
}
