// SPDX-License-Identifier: GPL-2.0-only
/* How is a guest asked or told one thing from the command line? */
#include "control.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../msg.h"
#include "cmd.h"
#include "guest.h"
#include "order.h"
#include "remote.h"

/**
 * struct control - the command line of each of these commands, and its guest
 * @base: -d
 * @timeout_ms: --timeout
 * @append: --append of set
 * @guest: the guest
 * @client: its files; NULL: it has no agent-fs-path
 */
struct control {
	const char *base;
	u64 timeout_ms;
	bool append;
	struct guest guest;
	struct p9client *client;
};

#define AT(field) .offset = offsetof(struct control, field)

static const struct opt control_table[] = {
	CMD_OPT_TIMEOUT(AT(timeout_ms)),
	CMD_OPT_DIR(AT(base)),
	CMD_OPT_HELP,
	{ 0 }
};

static const struct opt set_table[] = {
	{ 'a', "append", NULL, "add to what the file holds, as >> does", OPT_FLAG, AT(append) },
	CMD_OPT_TIMEOUT(AT(timeout_ms)),
	CMD_OPT_DIR(AT(base)),
	CMD_OPT_HELP,
	{ 0 }
};

static enum cmd_status control_parse(struct control *control, const struct cmd_usage *usage,
				     const struct opt *table, int argc, char **argv)
{
	*control = (struct control){ .timeout_ms = CMD_TIMEOUT_MS, .guest.dir_fd = -1 };
	return cmd_parse(usage, table, argc, argv, control);
}

/* Opens the guest; without agent-fs-path it is 0 with no client, or an error if @need_fs. */
static int control_open(struct control *control, const char *name, bool need_fs)
{
	int ret;

	ret = guest_open(control->base, name, &control->guest);
	if (!ret)
		ret = guest_lock(&control->guest);
	if (!ret)
		ret = remote_connect(&control->guest, control->timeout_ms, &control->client);
	if (ret == -ENODEV && !need_fs)
		return 0;
	if (ret == -ENODEV)
		msg_err(0, "guest %s: its QEMU has no " GUEST_FS "; that needs it", name);
	return ret;
}

static void control_close(struct control *control)
{
	p9client_close(control->client);
	guest_close(&control->guest);
}

static int control_order(struct control *control, bool start)
{
	int ret;

	if (!control->client)
		return order_by_fifo(&control->guest, start, ORDER_WAIT_MS);
	ret = remote_order(control->client, start);
	if (ret && !control->client->session.dead)
		msg_err(ret, "guest %s: %s the relays", control->guest.name,
			start ? "start" : "stop");
	return ret;
}

static enum cmd_status control_run_order(const struct cmd_usage *usage, bool start, int argc,
					 char **argv)
{
	struct control control;
	int ret;

	ret = control_parse(&control, usage, control_table, argc, argv);
	if (ret != CMD_GO)
		return ret;
	ret = control_open(&control, argv[optind], false);
	if (!ret)
		ret = control_order(&control, start);
	control_close(&control);
	return ret ? CMD_FAILED : CMD_OK;
}

int cmd_start(int argc, char **argv)
{
	static const struct cmd_usage usage = {
		.synopsis = "start [OPTION]... GUEST",
		.help = "Have the guest's agent ship the trace. Something must read the FIFOs,\n"
			"e.g. cat; to record into a trace.dat use record instead.",
		.min = 1,
		.max = 1,
	};

	return control_run_order(&usage, true, argc, argv);
}

int cmd_stop(int argc, char **argv)
{
	static const struct cmd_usage usage = {
		.synopsis = "stop [OPTION]... GUEST",
		.help = "Have the guest's agent send what was recorded so far, then be silent.\n"
			"Where there is agent-fs-path this ends when all of it has been sent.",
		.min = 1,
		.max = 1,
	};

	return control_run_order(&usage, false, argc, argv);
}

static void status_print_cpus(const struct remote_stats *stats)
{
	const struct remote_cpu *cpu;
	u32 i;

	printf("%5s %-9s %14s %11s %11s %11s %9s %9s\n", "cpu", "state", "bytes sent",
	       "bytes lost", "in ring", "overwritten", "dropped", "stalls");
	for (i = 0; i < stats->ncpus; i++) {
		cpu = &stats->cpus[i];
		printf("%5u %-9s %14llu %11llu %11llu %11llu %9llu %9llu\n", cpu->cpu, cpu->state,
		       cpu->port_bytes, remote_lost(cpu), cpu->entries, cpu->overrun,
		       cpu->dropped + cpu->commit_overrun, cpu->stalls);
	}
}

static int status_print(struct control *control)
{
	struct source *src = &control->client->source;
	struct remote_machine machine;
	struct remote_stats stats;
	int ret;

	ret = remote_machine_read(src, &machine);
	if (ret)
		return msg_err(ret, "guest %s: read agent/machine", control->guest.name);
	ret = remote_stats_read(src, &stats);
	if (ret)
		return msg_err(ret, "guest %s: read agent/stats", control->guest.name);
	printf("guest %s: %s %s %s, node %s\n", control->guest.name, machine.sysname,
	       machine.release, machine.machine, machine.nodename);
	printf("order: %s, after %llu orders; instance: %s; sub-buffers of %u bytes\n",
	       stats.order ? "running" : "stopped", stats.seq,
	       *stats.instance ? stats.instance : "(top level)", machine.subbuf_size);
	status_print_cpus(&stats);
	remote_stats_free(&stats);
	return 0;
}

static int status_print_fifos(const struct control *control)
{
	printf("guest %s: QEMU runs; no " GUEST_FS ", so the agent can't be asked\n",
	       control->guest.name);
	printf("CPUs with a FIFO: %u\n", control->guest.ncpus);
	return 0;
}

int cmd_status(int argc, char **argv)
{
	static const struct cmd_usage usage = {
		.synopsis = "status [OPTION]... GUEST",
		.help = "Show a guest, the order its agent follows, and each CPU's counters.",
		.min = 1,
		.max = 1,
	};
	struct control control;
	int ret;

	ret = control_parse(&control, &usage, control_table, argc, argv);
	if (ret != CMD_GO)
		return ret;
	ret = control_open(&control, argv[optind], false);
	if (!ret)
		ret = control.client ? status_print(&control) : status_print_fifos(&control);
	control_close(&control);
	return ret ? CMD_FAILED : CMD_OK;
}

/* FILE is one of the guest's tracing directory, or with a '/' one of the whole tree. */
static char *control_path(const char *file)
{
	char *path;

	if (*file == '/')
		path = strdup(file + 1);
	else if (asprintf(&path, "tracing/%s", file) < 0)
		path = NULL;
	if (!path)
		msg_err(ENOMEM, "%s", file);
	return path;
}

static int cat_sink(void *to, const void *data, size_t len)
{
	(void)to;
	if (fwrite(data, 1, len, stdout) == len && !fflush(stdout))
		return 0;
	return msg_err(errno, "write to standard output");
}

static int control_cat(struct control *control, const char *path)
{
	struct source *src = &control->client->source;
	int ret;

	/* These wait for events, be it for ever. */
	if (strstr(path, "trace_pipe"))
		control->client->session.timeout_ms = 0;
	ret = src->read(src, path, cat_sink, NULL);
	if (ret && !control->client->session.dead && !ferror(stdout))
		msg_err(ret, "guest %s: read %s", control->guest.name, *path ? path : "/");
	return ret;
}

int cmd_cat(int argc, char **argv)
{
	static const struct cmd_usage usage = {
		.synopsis = "cat [OPTION]... GUEST FILE",
		.help = "Print a file of the guest's tracing directory; with a leading '/', of\n"
			"the agent's tree: /agent/stats, /agent/machine, /kallsyms, ...",
		.min = 2,
		.max = 2,
	};
	struct control control;
	char *path;
	int ret;

	ret = control_parse(&control, &usage, control_table, argc, argv);
	if (ret != CMD_GO)
		return ret;
	path = control_path(argv[optind + 1]);
	ret = path ? control_open(&control, argv[optind], true) : -ENOMEM;
	if (!ret)
		ret = control_cat(&control, path);
	control_close(&control);
	free(path);
	return ret ? CMD_FAILED : CMD_OK;
}

static int control_set(struct control *control, const char *path, const char *value)
{
	char *line;
	int len, ret;

	len = asprintf(&line, "%s\n", value);
	if (len < 0)
		return msg_err(ENOMEM, "guest %s", control->guest.name);
	ret = p9client_write(control->client, path, line, len, !control->append);
	free(line);
	if (ret && !control->client->session.dead)
		msg_err(ret, "guest %s: write '%s' to %s", control->guest.name, value, path);
	return ret;
}

int cmd_set(int argc, char **argv)
{
	static const struct cmd_usage usage = {
		.synopsis = "set [OPTION]... GUEST FILE VALUE",
		.help = "Write VALUE and a newline, at once, into a file of the guest's tracing\n"
			"directory, as echo does; with a leading '/', of the agent's tree.",
		.min = 3,
		.max = 3,
	};
	struct control control;
	char *path;
	int ret;

	ret = control_parse(&control, &usage, set_table, argc, argv);
	if (ret != CMD_GO)
		return ret;
	path = control_path(argv[optind + 1]);
	ret = path ? control_open(&control, argv[optind], true) : -ENOMEM;
	if (!ret)
		ret = control_set(&control, path, argv[optind + 2]);
	control_close(&control);
	free(path);
	return ret ? CMD_FAILED : CMD_OK;
}
