// SPDX-License-Identifier: GPL-2.0-only
/* What does the user want recorded, and when does it end? */
#include "record.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../msg.h"
#include "cmd.h"
#include "progress.h"
#include "recording.h"
#include "workload.h"

#define TICK_MS 1000
#define TICK_QUIET_MS 5000
#define FDS_BESIDE_CPUS 64

/**
 * struct record - the command line of record
 * @wanted: what is recorded, and how
 * @duration_ms: how long; 0: until something else ends it
 * @quiet: without progress
 * @command: the words after "--"; NULL: none
 */
struct record {
	struct recording_wanted wanted;
	u64 duration_ms;
	bool quiet;
	char **command;
};

static const struct cmd_usage record_usage = {
	.synopsis = "record [OPTION]... GUEST [-- COMMAND...]",
	.help = "Record a guest's kernel trace into one file, until Ctrl-C, until the time or\n"
		"size given, or until COMMAND ends. The guest's settings are put back afterwards.\n"
		"Exit status: 0 every event recorded is in the file or counted with the reason,\n"
		"1 not recorded or ended by a fault, 2 wrong usage, 3 the ledger does not close\n"
		"(raw files have none).",
	.min = 1,
	.max = 1,
};

static int record_set_output(void *to, const char *text)
{
	if (!*text) {
		msg_err(0, "-o '': not a name of a file");
		return -EINVAL;
	}
	((struct record *)to)->wanted.output = text;
	return 0;
}

/* The guest's kernel takes words apart at blanks of every kind. */
static bool is_one_word(const char *text)
{
	for (; *text; text++)
		if (!isgraph((unsigned char)*text))
			return false;
	return true;
}

static int record_add_event(void *to, const char *text)
{
	struct settings_wanted *settings = &((struct record *)to)->wanted.settings;

	if (settings->nevents == SETTINGS_EVENTS_MAX) {
		msg_err(0, "-e %s: more than %u times -e", text, SETTINGS_EVENTS_MAX);
		return -EINVAL;
	}
	if (*text == '!') {
		msg_err(0, "-e '%s': events are enabled, not disabled, by -e", text);
		return -EINVAL;
	}
	if (!*text || *text == ':' || !is_one_word(text)) {
		msg_err(0, "-e '%s': not SYSTEM, SYSTEM:EVENT or all", text);
		return -EINVAL;
	}
	settings->events[settings->nevents++] = (struct settings_event){ .event = text };
	return 0;
}

static int record_set_filter(void *to, const char *text)
{
	struct settings_wanted *settings = &((struct record *)to)->wanted.settings;

	if (!settings->nevents) {
		msg_err(0, "-f '%s': the -e it is for must stand before it", text);
		return -EINVAL;
	}
	settings->events[settings->nevents - 1].filter = text;
	return 0;
}

static int record_set_instance(void *to, const char *text)
{
	struct record *record = to;

	if (!*text || strchr(text, '/') || !strcmp(text, ".") || !strcmp(text, "..")) {
		msg_err(0, "-B '%s': not a name of an instance", text);
		return -EINVAL;
	}
	record->wanted.settings.instance = text;
	return 0;
}

static int record_set_subbuf(void *to, const char *text)
{
	struct settings_wanted *settings = &((struct record *)to)->wanted.settings;
	int ret;

	settings->subbuf_bytes = 0;
	settings->subbuf = !strcmp(text, "auto") ? SUBBUF_SIZE_AUTO :
			   !strcmp(text, "keep") ? SUBBUF_SIZE_KEEP : SUBBUF_SIZE_GIVEN;
	if (settings->subbuf != SUBBUF_SIZE_GIVEN)
		return 0;
	ret = opt_size(text, &settings->subbuf_bytes);
	if (ret == -EINVAL) {
		msg_err(0, "--subbuf %s: not auto, keep or a size (a number, K, M or G may follow)",
			text);
	} else if (settings->subbuf_bytes < SUBBUF_SIZE_MIN ||
		   settings->subbuf_bytes > SUBBUF_SIZE_MAX) {
		msg_err(0, "--subbuf %s: must be from %u to %u", text, SUBBUF_SIZE_MIN,
			SUBBUF_SIZE_MAX);
		ret = -EINVAL;
	}
	return ret;
}

#define AT(field) .offset = offsetof(struct record, field)

static const struct opt record_table[] = {
	{ 'o', "output", "FILE", "where to (default trace.dat; raw files: trace.raw/)",
	  OPT_CALL, .call = record_set_output },
	{ 'e', "event", "EVENT", "enable SYSTEM, SYSTEM:EVENT (both with *) or all;\n"
	  "may be repeated", OPT_CALL, .call = record_add_event },
	{ 'f', "filter", "FILTER", "only matching events of the -e before it,\n"
	  "e.g. 'prev_pid != 0'", OPT_CALL, .call = record_set_filter },
	{ 'p', "tracer", "NAME", "use this tracer, e.g. function", OPT_STRING,
	  AT(wanted.settings.tracer) },
	{ 'C', "clock", "NAME", "use this trace clock, e.g. mono", OPT_STRING,
	  AT(wanted.settings.clock) },
	{ 'B', "instance", "NAME", "record in this tracefs instance; made if there is none",
	  OPT_CALL, .call = record_set_instance },
	{ 'b', "buffer-size", "SIZE", "of each CPU's ring buffer", OPT_SIZE,
	  AT(wanted.settings.buffer_bytes), .min = 4096 },
	{ 0, "subbuf", "SIZE", "of the ring buffer's sub-buffers (Linux 6.8 or later);\n"
	  "auto (the default), keep, or a size", OPT_CALL, .call = record_set_subbuf },
	{ 0, "duration", "TIME", "stop after this time", OPT_TIME, AT(duration_ms), .min = 1 },
	{ 0, "max-size", "SIZE", "stop when so much trace is stored", OPT_SIZE,
	  AT(wanted.max_bytes), .min = SUBBUF_SIZE_MIN },
	{ 0, "raw", NULL, "raw files per CPU, as if there were no agent-fs-path", OPT_FLAG,
	  AT(wanted.raw) },
	{ 'q', "quiet", NULL, "show no progress", OPT_FLAG, AT(quiet) },
	CMD_OPT_TIMEOUT(AT(wanted.timeout_ms)),
	CMD_OPT_DIR(AT(wanted.base)),
	CMD_OPT_HELP,
	{ 0 }
};

/* Two descriptors for each CPU may be more than a shell allows. */
static void record_raise_fd_limit(void)
{
	const rlim_t want = 2 * GUEST_CPUS_MAX + FDS_BESIDE_CPUS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= want)
		return;
	limit.rlim_cur = want;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/**
 * enum record_end - what ended a recording
 * @RECORD_ON: nothing yet
 * @RECORD_DONE: what the user wanted
 * @RECORD_FAULT: something else; it was said
 */
enum record_end { RECORD_ON, RECORD_DONE, RECORD_FAULT };

static enum record_end record_check(const struct record *record, struct recording *recording,
				    struct workload *workload)
{
	const struct collector *collector = &recording->collector;

	workload_read(workload);
	if (collector->fault)
		return RECORD_FAULT;
	if (!collector->open) {
		msg_err(0, "guest %s: QEMU has closed the FIFOs: the guest is gone",
			recording->guest.name);
		return RECORD_FAULT;
	}
	if (collector->full) {
		msg_info("guest %s: --max-size is reached", recording->guest.name);
		return RECORD_DONE;
	}
	if (workload->signal || workload->exited)
		return RECORD_DONE;
	if (record->duration_ms &&
	    recording_now_ms() - recording->begin_ms >= record->duration_ms)
		return RECORD_DONE;
	return RECORD_ON;
}

/* Sleep until there is data, a signal, or it is time to look. */
static void record_sleep(const struct record *record, struct recording *recording,
			 struct workload *workload, u64 look_ms)
{
	struct pollfd fds[] = {
		{ .fd = recording->collector.epoll_fd, .events = POLLIN },
		{ .fd = workload->signal_fd, .events = POLLIN },
	};
	u64 now = recording_now_ms(), until = look_ms;

	if (record->duration_ms && recording->begin_ms + record->duration_ms < until)
		until = recording->begin_ms + record->duration_ms;
	poll(fds, ARRAY_SIZE(fds), until > now ? (int)(until - now) : 0);
}

static enum record_end record_loop(const struct record *record, struct recording *recording,
				   struct workload *workload)
{
	const u32 tick_ms = record->quiet ? TICK_QUIET_MS : TICK_MS;
	u64 look_ms = recording->begin_ms + tick_ms;
	enum record_end end;

	for (;;) {
		end = record_check(record, recording, workload);
		if (end != RECORD_ON)
			return end;
		record_sleep(record, recording, workload, look_ms);
		collector_run(&recording->collector);
		collector_count(&recording->collector);
		if (recording_now_ms() < look_ms)
			continue;
		if (recording->collector.open && recording_look(recording))
			return RECORD_FAULT;
		if (!record->quiet)
			progress_show(recording);
		look_ms = recording_now_ms() + tick_ms;
	}
}

static enum cmd_status record_run(const struct record *record, struct recording *recording,
				  struct workload *workload)
{
	enum record_end end = RECORD_FAULT;
	bool closes;
	int ret;

	if (!workload_start(workload))
		end = record_loop(record, recording, workload);
	if (!record->quiet)
		progress_end();
	ret = recording_end(recording);
	closes = recording_report(recording, stdout);
	if (fflush(stdout) || ferror(stdout))
		ret = msg_err(errno, "write to standard output");
	if (end == RECORD_FAULT || ret || recording->collector.fault) {
		msg_info("guest %s: ended by a fault; what had arrived is in %s",
			 recording->guest.name, recording->output);
		return CMD_FAILED;
	}
	return closes ? CMD_OK : CMD_LEDGER;
}

static enum cmd_status record_guest(const struct record *record)
{
	enum cmd_status status = CMD_FAILED;
	struct recording recording;
	struct workload workload;
	int ret;

	if (workload_init(&workload, record->command))
		return CMD_FAILED;
	ret = recording_begin(&recording, &record->wanted, workload.signal_fd);
	if (ret == -EINTR)
		msg_err(ret, "guest %s: not recorded", record->wanted.guest);
	else if (!ret)
		status = record_run(record, &recording, &workload);
	recording_close(&recording);
	workload_exit(&workload);
	return status;
}

/* The words after "--" are the command's; getopt must not see them. */
static char **record_split_command(int *argc, char **argv)
{
	int i;

	for (i = 1; i < *argc; i++)
		if (!strcmp(argv[i], "--"))
			break;
	if (i >= *argc - 1)
		return NULL;
	*argc = i;
	return argv + i + 1;
}

int cmd_record(int argc, char **argv)
{
	struct record *record = calloc(1, sizeof(*record));
	enum cmd_status status;

	if (!record) {
		msg_err(ENOMEM, "record");
		return CMD_FAILED;
	}
	record->wanted.timeout_ms = CMD_TIMEOUT_MS;
	record->command = record_split_command(&argc, argv);
	status = cmd_parse(&record_usage, record_table, argc, argv, record);
	if (status == CMD_GO) {
		record->wanted.guest = argv[optind];
		record_raise_fd_limit();
		status = record_guest(record);
	}
	free(record);
	return status;
}
