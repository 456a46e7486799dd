// SPDX-License-Identifier: GPL-2.0-only
/* virtio-trace: which command does the user want? */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "../msg.h"
#include "../opt.h"
#include "../version.h"
#include "cmd.h"
#include "control.h"
#include "record.h"
#include "report.h"
#include "setup.h"

/**
 * struct command - a command of virtio-trace
 * @name: its name
 * @help: what it does, in a line
 * @run: does it; its words include the name
 */
struct command {
	const char *name;
	const char *help;
	int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
	{ "setup", "make a guest's directory and FIFOs, print what QEMU needs", cmd_setup },
	{ "record", "record a guest into a trace.dat", cmd_record },
	{ "report", "print a trace as text", cmd_report },
	{ "status", "show a guest, its agent and each CPU's counters", cmd_status },
	{ "start", "have the agent ship the trace to the FIFOs", cmd_start },
	{ "stop", "have the agent send the rest, then be silent", cmd_stop },
	{ "cat", "print a file of the guest's tracing directory", cmd_cat },
	{ "set", "write a value into one", cmd_set },
};

static const struct opt main_table[] = {
	CMD_OPT_HELP,
	{ .letter = 'V', .name = "version", .help = "show the version", .kind = OPT_VERSION },
	{ 0 }
};

static int main_help(void)
{
	size_t i;

	printf("Usage: virtio-trace COMMAND [OPTION]... [WORD]...\n\n"
	       "Records the kernel trace of virtual machines on their host.\n\nCommands:\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-26s%s\n", commands[i].name, commands[i].help);
	printf("\nOptions:\n");
	opt_help(main_table);
	printf("\n'virtio-trace COMMAND --help' tells more.\n");
	return CMD_OK;
}

/* No command was named: only --help and --version make sense then. */
static int main_options(int argc, char **argv)
{
	int ret = opt_parse(main_table, argc, argv, NULL);

	if (ret == OPT_WANT_HELP)
		return main_help();
	if (ret == OPT_WANT_VERSION) {
		printf("virtio-trace %s\n", VIRTIO_TRACE_VERSION);
		return CMD_OK;
	}
	if (!ret)
		msg_err(0, "what to do? see --help");
	return CMD_USAGE;
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2 || argv[1][0] == '-')
		return main_options(argc, argv);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	msg_err(0, "%s: no such command; see --help", argv[1]);
	return CMD_USAGE;
}
