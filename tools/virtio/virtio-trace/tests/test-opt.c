// SPDX-License-Identifier: GPL-2.0-only
/* Does a command line become what its table says, and is every other one refused? */
#include "tap.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "../opt.h"

struct words {
	bool flag;
	unsigned int count, number;
	u64 size, time;
	const char *text, *called;
};

static int take(void *to, const char *text)
{
	if (!strcmp(text, "bad"))
		return -EINVAL;
	((struct words *)to)->called = text;
	return 0;
}

#define FIELD(name) .offset = offsetof(struct words, name)

static const struct opt table[] = {
	{ 'f', "flag", NULL, "a flag", OPT_FLAG, FIELD(flag) },
	{ 'v', "verbose", NULL, "a count", OPT_COUNT, FIELD(count) },
	{ 'n', "number", "N", "a number", OPT_UINT, FIELD(number), .min = 1, .max = 100 },
	{ 's', "size", "SIZE", "a size", OPT_SIZE, FIELD(size), .max = 1 << 20 },
	{ 't', "time", "TIME", "a time", OPT_TIME, FIELD(time), .min = 1 },
	{ 0, "text", "TEXT", "a text\nof two lines", OPT_STRING, FIELD(text) },
	{ 'c', "call", "WORD", "a call", OPT_CALL, .call = take },
	{ 'h', "help", NULL, "help", .kind = OPT_HELP },
	{ 'V', "version", NULL, "version", .kind = OPT_VERSION },
	{ 0 }
};

/* Splits a line at blanks and reads it. */
static int parse(const char *line, struct words *w, int *operands)
{
	static char text[256];
	char *argv[16] = { "test" }, *word;
	int argc = 1, ret;

	memset(w, 0, sizeof(*w));
	snprintf(text, sizeof(text), "%s", line);
	for (word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	ret = opt_parse(table, argc, argv, w);
	if (operands)
		*operands = argc - optind;
	return ret;
}

static void test_accepts(void)
{
	struct words w;
	int operands;

	is(parse("", &w, &operands), 0, "an empty line");
	is(parse("-f -vv --number 7 -s64K --time=1.5 --text x a b", &w, &operands), 0, "all kinds");
	ok(w.flag, "flag");
	is(w.count, 2, "count");
	is(w.number, 7, "number");
	is(w.size, 65536, "size");
	is(w.time, 1500, "time");
	ok(w.text && !strcmp(w.text, "x"), "text");
	is(operands, 2, "operands");
	is(parse("a -f b -- -v", &w, &operands), 0, "operands between options, and --");
	ok(w.flag && !w.count && operands == 3, "-- ends the options");
	is(parse("-c word", &w, NULL), 0, "a call");
	ok(w.called && !strcmp(w.called, "word"), "gets the word");
	is(parse("--help -x", &w, NULL), OPT_WANT_HELP, "help, before what is wrong behind it");
	is(parse("-V", &w, NULL), OPT_WANT_VERSION, "version");
}

static void test_refuses(void)
{
	static const char * const lines[] = {
		"-x", "--nonsense", "-n", "--size", "-n 0", "-n 101", "-n 1x", "-n -1",
		"-n 1K", "-n 99999999999999999999", "-s", "-s K", "-s 1KK", "-s 2M", "-s -1",
		"-s 99999999999999999999G", "-t x", "-t 1q", "-t 0", "-t -1", "-t 0x10",
		"-t nan", "-t inf", "-t 99999999999", "-c bad", "--flag=1", "-t .", "-t 1.2.3",
	};
	struct words w;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		is(parse(lines[i], &w, NULL), -EINVAL, "%s", lines[i]);
}

static void test_units(void)
{
	static const struct {
		const char *text;
		int ret;
		u64 value;
	} sizes[] = {
		{ "0", 0, 0 }, { "1", 0, 1 }, { "1k", 0, 1024 }, { "3M", 0, 3 << 20 },
		{ "2g", 0, 2ULL << 30 }, { "9007199254740991K", 0, 9007199254740991ULL << 10 },
		{ "9007199254740992K", -ERANGE, U64_MAX },
		{ "99999999999999999999", -ERANGE, U64_MAX },
		{ "1T", -EINVAL, 0 }, { "", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 }, { "+1", -EINVAL, 0 },
	}, times[] = {
		{ "1", 0, 1000 }, { "250ms", 0, 250 }, { "2m", 0, 120000 }, { "1h", 0, 3600000 },
		{ "0.5", 0, 500 }, { ".5s", 0, 500 }, { "", -EINVAL, 0 }, { "s", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 }, { "1 s", -EINVAL, 0 },
		{ "99999999999999h", -ERANGE, U64_MAX },
	};
	u64 value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		value = 0;
		is(opt_size(sizes[i].text, &value), sizes[i].ret, "size '%s'", sizes[i].text);
		is(value, sizes[i].value, "size '%s' is right", sizes[i].text);
	}
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		value = 0;
		is(opt_time(times[i].text, &value), times[i].ret, "time '%s'", times[i].text);
		is(value, times[i].value, "time '%s' is right", times[i].text);
	}
}

int main(void)
{
	test_accepts();
	/* What is refused is said; that is not for the reader of these results. */
	if (!freopen("/dev/null", "w", stderr))
		return EXIT_FAILURE;
	test_refuses();
	test_units();
	opt_help(table);
	return done();
}
