// SPDX-License-Identifier: GPL-2.0-only
/* Do formats and records of an evil guest end as harmless text? */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../host/decoder.h"
#include "../host/trial.h"
#include "tap.h"

#define HEAD "name: evil\nID: %d\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield:__data_loc char[] s;\toffset:12;\tsize:4;\tsigned:0;\n\n" \
	"print fmt: %s\n"

/* Each crashes, hangs or eats the library, or makes it read where nothing is. */
static const char *const evil[] = {
	"\"%d\", 5 / REC->a",
	"\"%d\", REC->a % 0",
	"\"%s\", __print_hex(__get_dynamic_array(s), REC->a)",
	"\"%s\", __print_hex(5, 1000)",
	"\"%s\", __print_array(__get_dynamic_array(s), REC->a * 1000, 8)",
	"\"%*d\", REC->a, REC->a",
	"\"%99999999d\", REC->a",
	"\"%d\", ((int *)__get_dynamic_array(s))[REC->a]",
	"\"%d\", REC->a[500000000]",
	"\"%s\", __print_symbolic(REC->nothing, {1, \"a\"})",
	"\"%s\", __print_flags(REC->a, \"|\", {1, \"a\"}) : \"b\"`",
	"\"%s\", (REC->a) ? __print_flags(REC->a, \"|\", {1, \"a\"}) : \"b\"`",
	"\"%s\", REC->a ? 5",
	"\"%d",
	"\"%d\", 'x",
	"\"%d\", \"\\\\\"",
	"\"%s\", REC->a",
	"\"%pM %pI4 %pU\", REC->a, REC->a, REC->a",
	"\"%d %d %d %d %d %d\"",
	"\"%s\", __get_str(s)",
};

/* Heads that the kernel does not write. */
static const char *const odd[] = {
	"",
	"name: x",
	"name: x\nID: 5\nformat:\n",
	"name: x\nID: 5\nformat:\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:1;\n\n\nprint fmt: \"\"\n",
	"name: x\nID: -5\nformat:\n\nprint fmt: \"\"\n",
	"name: x\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n\tfield:int a;\toffset:99999999;\tsize:4;\tsigned:0;\n\nprint fmt: \"%d\", REC->a\n",
	"name: x\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n\tfield:__attribute__((x)) int a;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n",
	"name: x\nID: 5\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n\tfield:int a[;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n",
};

static const char *print(struct decoder *dec, u32 id, u32 a, size_t *len)
{
	const u32 record[] = { id, 7, a, 0xffff0010, 0x1b5b6d31 };
	const struct subbuf_event event = { .ts = 5000, .data = record, .len = sizeof(record) };
	const struct decoder_style style = { .ts_is_ns = true };

	return decoder_text(dec, &style, 3, &event, len);
}

static void test_formats(struct decoder *dec)
{
	static const u32 values[] = { 0, 1, 0xffffffff, 0x7fffffff, 0x80000000 };
	char text[2048];
	size_t i, j, len, most = 0;

	for (i = 0; i < ARRAY_SIZE(evil); i++) {
		snprintf(text, sizeof(text), HEAD, (int)(100 + i), evil[i]);
		is(decoder_add_format(dec, "evil", text), 0, "taken in: %s", evil[i]);
	}
	for (i = 0; i < ARRAY_SIZE(odd); i++)
		is(decoder_add_format(dec, "odd", odd[i]), 0, "not believed: odd head %zu", i);
	is(decoder_learn_formats(dec), 0, "learned");
	for (i = 0; i < ARRAY_SIZE(evil); i++)
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			print(dec, 100 + i, values[j], &len);
			most = len > most ? len : most;
		}
	ok(most > 50 && most < 400000, "printed: up to %zu bytes each", most);
}

static void test_lines(struct decoder *dec)
{
	char cmdlines[] = "7 \x1b[31mred\n7 again\nx y\n99999999999 z\n";
	char printks[] = "0x10 : \"a\"\n0x13 : \"xy\\\"\"\n"
			 "0x11 : \"\"\nfoo\n0x12 : \"%999999d\"\n0x : \"\n";
	const struct subbuf_event tiny = { .data = "", .len = 1 };
	const struct decoder_style style = { 0 };
	const char *text;
	size_t len;

	is(decoder_add_cmdlines(dec, cmdlines), 0, "task names");
	is(decoder_add_printk(dec, printks), 0, "printk formats");
	is(decoder_add_symbols(dec, "ff T a\nnot a line\n0 T zero\n10 t b\t[m", 36), 0, "symbols");
	is(decoder_add_symbols(dec, "od]\n", 4), 0, "in two pieces");
	text = print(dec, 100 + ARRAY_SIZE(evil) - 1, 0, &len);
	ok(memmem(text, len, "?[31mred-7", 10), "no escape from a task's name");
	ok(!memchr(text, '\x1b', len), "nor from a string");
	text = print(dec, 4711, 0, &len);
	ok(memmem(text, len, "[UNKNOWN EVENT 4711]", 20), "an unknown event");
	text = decoder_text(dec, &style, 0, &tiny, &len);
	ok(memmem(text, len, "UNKNOWN", 7), "an event without a number");
}

static void step(void *to, u32 i)
{
	bool *spin = to;

	if (i == 2 || i == 5)
		raise(SIGKILL);
	while (i == 3 && *spin)
		getppid();
	if (i == 7)
		_exit(0);
}

static void test_trial(void)
{
	bool fatal[9] = { 0 }, spin = true;

	trial_run(9, step, &spin, fatal);
	ok(fatal[2] && fatal[5], "steps that die are found");
	ok(fatal[3], "one that does not end, too");
	ok(fatal[7], "one that leaves, too");
	ok(!fatal[0] && !fatal[1] && !fatal[4] && !fatal[6] && !fatal[8], "the others are good");
}

int main(void)
{
	const struct subbuf_layout layout = { .size = 4096, .commit_size = 8 };
	struct decoder *dec;

	is(decoder_alloc(&layout, false, &dec), 0, "a decoder");
	test_formats(dec);
	test_lines(dec);
	decoder_free(dec);
	test_trial();
	return done();
}
