/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands of virtio-trace have in common. */
#ifndef VIRTIO_TRACE_CMD_H
#define VIRTIO_TRACE_CMD_H

#include "../opt.h"
#include "../types.h"

/**
 * enum cmd_status - exit status of virtio-trace
 * @CMD_GO: no exit status: go on
 * @CMD_OK: done; for record: every event is in the file or counted with its reason
 * @CMD_FAILED: not done, or ended by a fault
 * @CMD_USAGE: wrong usage
 * @CMD_LEDGER: recorded, but bytes were lost on the way or the ledger does not close
 */
enum cmd_status { CMD_GO = -1, CMD_OK, CMD_FAILED, CMD_USAGE, CMD_LEDGER };

/**
 * struct cmd_usage - how a command is used
 * @synopsis: the words after "virtio-trace", e.g. "status [OPTION]... GUEST"
 * @help: what it does, one or more lines
 * @min: fewest operands
 * @max: most operands
 */
struct cmd_usage {
	const char *synopsis;
	const char *help;
	int min;
	int max;
};

#define CMD_OPT_HELP { .letter = 'h', .name = "help", .help = "show this help", .kind = OPT_HELP }
#define CMD_OPT_DIR(at) { 'd', "dir", "DIR", \
	"directory of the guests (default: $VIRTIO_TRACE_DIR\nor /run/virtio-trace)", \
	OPT_STRING, at }
#define CMD_OPT_TIMEOUT(at) { 0, "timeout", "TIME", \
	"how long the agent may take to answer (default 10 s)", \
	OPT_TIME, at, .min = 100, .max = 3600000 }

#define CMD_TIMEOUT_MS 10000

/**
 * cmd_parse() - read a command's words, answer --help
 * @usage: how it is used
 * @table: its options
 * @argc: number of words, its name included
 * @argv: the words; the operands are at argv[optind...] afterwards
 * @to: its structure
 *
 * Return: CMD_GO, or the exit status when there is nothing left to do.
 */
enum cmd_status cmd_parse(const struct cmd_usage *usage, const struct opt *table,
			  int argc, char **argv, void *to);

#endif
