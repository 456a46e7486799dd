// SPDX-License-Identifier: GPL-2.0-only
/* Which bytes of the host are orders? */
#include "tap.h"

#include <errno.h>
#include <string.h>

#include "../control.h"

/* Reads all of a text; each result becomes a letter: 1, 0, or x for a byte that is no order. */
static void reads(const char *text, size_t len, const char *want)
{
	const char *at = text, *end = text + len;
	char got[64] = "";
	size_t n = 0;
	bool run;
	int ret;

	while (n < sizeof(got) - 1 && (ret = order_next(&at, end, &run)))
		got[n++] = ret < 0 ? 'x' : run ? '1' : '0';
	ok(!strcmp(got, want), "\"%.*s\" is %s", (int)len, text, *want ? want : "nothing");
	ok(at == end, "all of it was looked at");
}

int main(void)
{
	reads("", 0, "");
	reads("\n", 1, "");
	reads("1", 1, "1");
	reads("1\n", 2, "1");
	reads("0\n1\n", 4, "01");
	reads("101", 3, "101");
	reads("a1\n", 3, "x1");
	reads("\0000", 2, "x0");
	reads("2", 1, "x");
	reads("1 0", 3, "1x0");
	return done();
}
