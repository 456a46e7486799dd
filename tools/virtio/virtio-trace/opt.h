/* SPDX-License-Identifier: GPL-2.0-only */
/* Command lines: one table per command says what it takes, and help is made from it. */
#ifndef VIRTIO_TRACE_OPT_H
#define VIRTIO_TRACE_OPT_H

#include "types.h"

/**
 * enum opt_kind - what an option takes and what it is stored as
 * @OPT_HELP: takes nothing, stores nothing: opt_parse() returns OPT_WANT_HELP
 * @OPT_VERSION: takes nothing, stores nothing: opt_parse() returns OPT_WANT_VERSION
 * @OPT_FLAG: takes nothing; bool
 * @OPT_COUNT: takes nothing, may be repeated; unsigned int
 * @OPT_UINT: a decimal number within [min, max]; unsigned int
 * @OPT_SIZE: a number of bytes, K, M or G may follow; u64, within [min, max]
 * @OPT_TIME: seconds, or with the suffix ms, s, m or h; u64 milliseconds
 * @OPT_STRING: any text; const char *
 * @OPT_CALL: any text, given to @call with the command's structure
 */
enum opt_kind {
	OPT_HELP, OPT_VERSION, OPT_FLAG, OPT_COUNT, OPT_UINT, OPT_SIZE,
	OPT_TIME, OPT_STRING, OPT_CALL,
};

/**
 * struct opt - one option of a command; a table ends with an entry without name
 * @letter: the short form, or 0
 * @name: the long form
 * @arg: the argument's name in help, e.g. "SIZE"; NULL when it takes none
 * @help: one or more lines, separated by '\n'
 * @kind: see enum opt_kind
 * @offset: where the value lives in the command's structure
 * @min: smallest value accepted
 * @max: largest value accepted; 0: no limit
 * @call: for OPT_CALL; 0, or -errno after having said why
 */
struct opt {
	char letter;
	const char *name;
	const char *arg;
	const char *help;
	enum opt_kind kind;
	size_t offset;
	u64 min, max;
	int (*call)(void *to, const char *text);
};

enum { OPT_WANT_HELP = 1, OPT_WANT_VERSION = 2 };

/**
 * opt_parse() - read a command line into the command's structure
 * @table: the options
 * @argc: number of words, the command's name included
 * @argv: the words; options may stand after operands, "--" ends them
 * @to: the command's structure, defaults already set
 *
 * Says on stderr what is wrong with a word it can't take.
 *
 * Return: 0 with the operands moved to argv[optind...], OPT_WANT_HELP,
 * OPT_WANT_VERSION, or -EINVAL.
 */
int opt_parse(const struct opt *table, int argc, char **argv, void *to);

/**
 * opt_help() - print a table as help text on stdout
 * @table: the options
 */
void opt_help(const struct opt *table);

/**
 * opt_size() - read a number of bytes such as 64K
 * @text: the text
 * @bytes: the result
 *
 * Return: 0, -EINVAL when it is no size, -ERANGE above 2^63.
 */
int opt_size(const char *text, u64 *bytes);

/**
 * opt_time() - read a duration such as 500ms, 10, 2m
 * @text: the text; without suffix it is seconds, a fraction is allowed
 * @ms: the result in milliseconds
 *
 * Return: 0, -EINVAL when it is no duration, -ERANGE above 2^31 seconds.
 */
int opt_time(const char *text, u64 *ms);

#endif
