// SPDX-License-Identifier: GPL-2.0-only
/* The command `virtio-trace report`: a recorded trace as text, as trace-cmd report shows it. */
#include "report.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cpulist.h"
#include "../msg.h"
#include "cmd.h"
#include "datread.h"
#include "merge.h"
#include "report-stat.h"

#define DEFAULT_INPUT "trace.dat"
#define OUTPUT_BUFFER (256 * 1024)
#define PATTERNS_MAX 64

struct report_options {
	const char *input;
	const char *tracing;
	const char *kallsyms;
	const char *cpus;
	const char *patterns[PATTERNS_MAX];
	unsigned int pattern_count;
	unsigned int limit;
	bool stat;
	bool raw;
	bool no_plugins;
};

static int pattern_add(void *to, const char *text)
{
	struct report_options *o = to;

	if (o->pattern_count == PATTERNS_MAX) {
		msg_err(0, "--events %s: more than %d", text, PATTERNS_MAX);
		return -EINVAL;
	}
	o->patterns[o->pattern_count++] = text;
	return 0;
}

static const struct cmd_usage report_usage = {
	.synopsis = "report [OPTION]... [FILE]\n"
		    "       virtio-trace report [OPTION]... --tracing DIR CAPTURE...",
	.help = "Show a recorded trace as text, all CPUs in order of time. FILE is a trace.dat\n"
		"of version 6 (default: " DEFAULT_INPUT "); a CAPTURE is what was read from one\n"
		"CPU's data port, with the CPU's number in its name: cpu0.raw.",
	.min = 0,
	.max = CPULIST_MAX,
};

#define AT(field) .offset = offsetof(struct report_options, field)

static const struct opt report_table[] = {
	{ 'i', "input", "FILE", "the trace.dat to show", OPT_STRING, AT(input) },
	{ 'e', "events", "EVENT", "show these events only: EVENT, SYSTEM or SYSTEM:EVENT,\n"
	  "with * and ? as in file names; may be repeated", OPT_CALL, .call = pattern_add },
	{ 0, "cpu", "LIST", "show these CPUs only, e.g. 0-3,5", OPT_STRING, AT(cpus) },
	{ 'n', "limit", "N", "stop after N events", OPT_UINT, AT(limit), .min = 1 },
	{ 's', "stat", NULL, "show how much each CPU recorded and lost, no events",
	  OPT_FLAG, AT(stat) },
	{ 'R', "raw", NULL, "show every field instead of the event's own words",
	  OPT_FLAG, AT(raw) },
	{ 'N', "no-plugins", NULL, "do without libtraceevent's plugins",
	  OPT_FLAG, AT(no_plugins) },
	{ 0, "tracing", "DIR", "take formats and names from DIR, a copy of the guest's\n"
	  "tracing directory or a mounted agent-fs-path", OPT_STRING, AT(tracing) },
	{ 0, "kallsyms", "FILE", "with --tracing: the guest's kallsyms",
	  OPT_STRING, AT(kallsyms) },
	CMD_OPT_HELP,
	{ 0 }
};

static int report_open_raw(const struct report_options *o, char **paths, u32 count,
			   struct datread **dr)
{
	struct source *src;
	int ret;

	ret = source_open_dir(o->tracing, o->kallsyms, &src);
	if (ret)
		return msg_err(ret, "%s%s%s", o->tracing, o->kallsyms ? ", " : "",
			       o->kallsyms ? o->kallsyms : "");
	ret = datread_open_raw(src, paths, count, !o->no_plugins, dr);
	source_close_dir(src);
	return ret;
}

/* Which words go together: a trace.dat alone, or captures with --tracing. */
static int report_open(const struct report_options *o, char **paths, u32 count,
		       struct datread **dr)
{
	const char *wrong = NULL;
	int ret;

	if (o->tracing && o->input)
		wrong = "--input and --tracing exclude each other";
	else if (o->tracing && !count)
		wrong = "--tracing needs captures, one per CPU";
	else if (!o->tracing && o->kallsyms)
		wrong = "--kallsyms goes with --tracing";
	else if (!o->tracing && count + !!o->input > 1)
		wrong = "one trace.dat at a time; captures need --tracing DIR";
	if (wrong) {
		msg_err(0, "report: %s", wrong);
		return CMD_USAGE;
	}
	if (o->tracing)
		ret = report_open_raw(o, paths, count, dr);
	else
		ret = datread_open(count ? paths[0] : o->input ? o->input : DEFAULT_INPUT,
				   !o->no_plugins, dr);
	return ret ? CMD_FAILED : CMD_GO;
}

/* The CPUs asked for, as indices of dr->cpu; the caller frees them. */
static int report_cpus(const struct report_options *o, const struct datread *dr, bool **wanted)
{
	struct cpulist list;
	u32 i;

	*wanted = NULL;
	if (!o->cpus)
		return CMD_GO;
	if (cpulist_parse(o->cpus, &list)) {
		msg_err(0, "--cpu %s: not a list of CPUs such as 0-3,5", o->cpus);
		return CMD_USAGE;
	}
	*wanted = calloc(dr->cpus, sizeof(**wanted));
	if (!*wanted) {
		msg_err(ENOMEM, "report");
		return CMD_FAILED;
	}
	for (i = 0; i < dr->cpus; i++)
		(*wanted)[i] = cpulist_has(&list, dr->cpu[i].cpu);
	return CMD_GO;
}

static int report_select(const struct report_options *o, struct datread *dr)
{
	unsigned int i;

	for (i = 0; i < o->pattern_count; i++) {
		if (decoder_select(dr->decoder, o->patterns[i]))
			continue;
		msg_err(0, "--events %s: the trace knows no such event", o->patterns[i]);
		return CMD_USAGE;
	}
	return CMD_GO;
}

static void missed_print(const struct merge_event *next)
{
	if (next->missed)
		printf("CPU:%u [%llu EVENTS DROPPED]\n", next->cpu, next->missed);
	if (next->missed_uncounted)
		printf("CPU:%u [EVENTS DROPPED]\n", next->cpu);
}

static int events_print(const struct report_options *o, struct datread *dr, struct merge *m)
{
	const struct decoder_style style = { .raw = o->raw, .ts_is_ns = dr->ts_is_ns };
	unsigned int left = o->limit;
	struct merge_event next;
	const char *text;
	size_t len;

	printf("cpus=%u\n", dr->cpus);
	while (!ferror(stdout) && merge_next(m, &next)) {
		missed_print(&next);
		if (!decoder_shows(dr->decoder, &next.event))
			continue;
		text = decoder_text(dr->decoder, &style, next.cpu, &next.event, &len);
		fwrite_unlocked(text, 1, len, stdout);
		putchar_unlocked('\n');
		if (o->limit && !--left)
			break;
	}
	return CMD_OK;
}

static int report_events(const struct report_options *o, struct datread *dr, const bool *wanted)
{
	struct merge *m;
	int ret;

	ret = report_select(o, dr);
	if (ret != CMD_GO)
		return ret;
	ret = merge_open(dr, wanted, &m);
	if (ret) {
		msg_err(ret, "report");
		return CMD_FAILED;
	}
	ret = events_print(o, dr, m);
	merge_close(m);
	return ret;
}

/* What can't be written is told, but for a reader who has seen enough. */
static int report_flush(int status)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	if (errno == EPIPE)
		return status;
	msg_err(errno ? errno : EIO, "report: write");
	return CMD_FAILED;
}

static int report_run(const struct report_options *o, struct datread *dr)
{
	bool *wanted;
	int ret;

	ret = report_cpus(o, dr, &wanted);
	if (ret != CMD_GO)
		return ret;
	setvbuf(stdout, NULL, _IOFBF, OUTPUT_BUFFER);
	if (o->stat)
		ret = report_stat(dr, wanted);
	else
		ret = report_events(o, dr, wanted);
	free(wanted);
	ret = report_flush(ret);
	return ret == CMD_OK && dr->damaged ? CMD_FAILED : ret;
}

int cmd_report(int argc, char **argv)
{
	struct report_options options = { 0 };
	struct datread *dr;
	int ret;

	ret = cmd_parse(&report_usage, report_table, argc, argv, &options);
	if (ret != CMD_GO)
		return ret;
	ret = report_open(&options, argv + optind, argc - optind, &dr);
	if (ret != CMD_GO)
		return ret;
	ret = report_run(&options, dr);
	datread_close(dr);
	return ret;
}
