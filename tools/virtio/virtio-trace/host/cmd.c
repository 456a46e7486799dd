// SPDX-License-Identifier: GPL-2.0-only
/* How does a command read its words? */
#include "cmd.h"

#include <getopt.h>
#include <stdio.h>

#include "../msg.h"

enum cmd_status cmd_parse(const struct cmd_usage *usage, const struct opt *table,
			  int argc, char **argv, void *to)
{
	int operands, ret;

	ret = opt_parse(table, argc, argv, to);
	if (ret == OPT_WANT_HELP) {
		printf("Usage: virtio-trace %s\n\n%s\n\nOptions:\n", usage->synopsis, usage->help);
		opt_help(table);
		return CMD_OK;
	}
	if (ret)
		return CMD_USAGE;
	operands = argc - optind;
	if (operands >= usage->min && operands <= usage->max)
		return CMD_GO;
	msg_err(0, "%s: too %s words; usage: virtio-trace %s", argv[0],
		operands < usage->min ? "few" : "many", usage->synopsis);
	return CMD_USAGE;
}
