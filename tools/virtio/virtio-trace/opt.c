// SPDX-License-Identifier: GPL-2.0-only
/* Reading command lines by table. */
#include "opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"

#define OPT_MAX 64
#define OPT_HELP_COLUMN 26

static int opt_too_large(u64 *value)
{
	*value = U64_MAX;
	return -ERANGE;
}

int opt_size(const char *text, u64 *bytes)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	char *end;
	u64 n;
	int shift = 0;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return opt_too_large(bytes);
	if (*end) {
		suffix = strchr(suffixes, *end >= 'a' ? *end - 'a' + 'A' : *end);
		if (!suffix || end[1])
			return -EINVAL;
		shift = 10 * (suffix - suffixes + 1);
	}
	if (n > (U64_MAX >> 1) >> shift)
		return opt_too_large(bytes);
	*bytes = n << shift;
	return 0;
}

int opt_time(const char *text, u64 *ms)
{
	static const struct {
		const char *suffix;
		double ms;
	} units[] = { { "", 1e3 }, { "s", 1e3 }, { "ms", 1 }, { "m", 6e4 }, { "h", 3.6e6 } };
	double value;
	char *end;
	size_t i;

	/* Of what strtod() takes, only digits and a point. */
	value = strtod(text, &end);
	if (end == text || end != text + strspn(text, "0123456789."))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].suffix))
			break;
	if (i == ARRAY_SIZE(units))
		return -EINVAL;
	value *= units[i].ms;
	if (!(value < 2147483648e3))
		return opt_too_large(ms);
	*ms = value;
	return 0;
}

static int opt_number(const struct opt *o, const char *text, u64 *value)
{
	int ret;

	switch (o->kind) {
	case OPT_SIZE:
		ret = opt_size(text, value);
		break;
	case OPT_TIME:
		ret = opt_time(text, value);
		break;
	default:
		ret = text[strspn(text, "0123456789")] ? -EINVAL : opt_size(text, value);
		if (!ret && *value > U32_MAX)
			ret = -ERANGE;
	}
	if (!ret && (*value < o->min || (o->max && *value > o->max)))
		ret = -ERANGE;
	if (ret == -ERANGE && o->max)
		msg_err(0, "--%s %s: must be from %llu to %llu", o->name, text,
			o->min, o->max);
	else if (ret == -ERANGE)
		msg_err(0, "--%s %s: too %s", o->name, text,
			*value < o->min ? "small" : "large");
	else if (ret)
		msg_err(0, "--%s %s: not a %s", o->name, text,
			o->kind == OPT_SIZE ? "size (a number, K, M or G may follow)" :
			o->kind == OPT_TIME ? "duration (seconds, or with ms, s, m, h)" :
			"number");
	return ret ? -EINVAL : 0;
}

static int opt_store(const struct opt *o, const char *text, void *to)
{
	void *field = (char *)to + o->offset;
	u64 value = 0;

	switch (o->kind) {
	case OPT_HELP:
		return OPT_WANT_HELP;
	case OPT_VERSION:
		return OPT_WANT_VERSION;
	case OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case OPT_COUNT:
		++*(unsigned int *)field;
		return 0;
	case OPT_STRING:
		*(const char **)field = text;
		return 0;
	case OPT_CALL:
		return o->call(to, text);
	case OPT_UINT:
	case OPT_SIZE:
	case OPT_TIME:
		break;
	}
	if (opt_number(o, text, &value))
		return -EINVAL;
	if (o->kind == OPT_UINT)
		*(unsigned int *)field = value;
	else
		*(u64 *)field = value;
	return 0;
}

/* getopt's two forms of the same table; entry i is reported as 256 + i. */
static void opt_getopt_tables(const struct opt *table, char *letters, struct option *names)
{
	int i;

	*letters++ = ':';
	for (i = 0; table[i].name && i < OPT_MAX; i++) {
		names[i] = (struct option){
			.name = table[i].name,
			.has_arg = table[i].arg ? required_argument : no_argument,
			.val = 256 + i,
		};
		if (!table[i].letter)
			continue;
		*letters++ = table[i].letter;
		if (table[i].arg)
			*letters++ = ':';
	}
	names[i] = (struct option){ 0 };
	*letters = '\0';
}

static const struct opt *opt_find(const struct opt *table, int code)
{
	if (code >= 256)
		return &table[code - 256];
	for (; table->name; table++)
		if (table->letter == code)
			return table;
	return NULL;
}

int opt_parse(const struct opt *table, int argc, char **argv, void *to)
{
	struct option names[OPT_MAX + 1];
	char letters[2 * OPT_MAX + 2];
	const struct opt *o;
	int code, ret;

	opt_getopt_tables(table, letters, names);
	optind = 0;
	opterr = 0;
	while ((code = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		if (code == ':') {
			msg_err(0, "%s: needs an argument", argv[optind - 1]);
			return -EINVAL;
		}
		if (code == '?') {
			if (optopt && optopt < 256)
				msg_err(0, "-%c: no such option; see --help", optopt);
			else
				msg_err(0, "%s: no such option, or not so; see --help",
					argv[optind - 1]);
			return -EINVAL;
		}
		o = opt_find(table, code);
		ret = o ? opt_store(o, optarg, to) : -EINVAL;
		if (ret)
			return ret;
	}
	return 0;
}

void opt_help(const struct opt *table)
{
	const char *line, *end;
	char left[64];

	for (; table->name; table++) {
		if (table->letter)
			snprintf(left, sizeof(left), "-%c, --%s%s%s", table->letter, table->name,
				 table->arg ? " " : "", table->arg ? table->arg : "");
		else
			snprintf(left, sizeof(left), "    --%s%s%s", table->name,
				 table->arg ? " " : "", table->arg ? table->arg : "");
		printf("  %-*s", OPT_HELP_COLUMN, left);
		if (strlen(left) >= OPT_HELP_COLUMN)
			printf("\n  %*s", OPT_HELP_COLUMN, "");
		for (line = table->help; ; line = end + 1) {
			end = strchrnul(line, '\n');
			printf("%.*s\n", (int)(end - line), line);
			if (!*end)
				break;
			printf("  %*s", OPT_HELP_COLUMN, "");
		}
	}
}
