// SPDX-License-Identifier: GPL-2.0-only
/* Are CPU lists read as the kernel writes them, and is nothing else taken for one? */
#include "tap.h"

#include <errno.h>

#include "../cpulist.h"

static void reads(const char *text, const unsigned int *cpus, size_t n)
{
	struct cpulist list;
	unsigned int cpu;
	size_t found = 0;
	bool same = true;

	is(cpulist_parse(text, &list), 0, "'%s' is a list", text);
	for (cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!cpulist_has(&list, cpu))
			continue;
		same = same && found < n && cpus[found] == cpu;
		found++;
	}
	ok(same && found == n, "'%s' has the right CPUs", text);
}

static void refuses(const char *text, int err)
{
	struct cpulist list;

	is(cpulist_parse(text, &list), err, "'%s' is refused", text);
}

int main(void)
{
	static const unsigned int none[1], zero[] = { 0 }, four[] = { 0, 1, 2, 3 };
	static const unsigned int mixed[] = { 0, 2, 3, 63, 64, 4095 };

	reads("", none, 0);
	reads("\n", none, 0);
	reads("0\n", zero, 1);
	reads("0-3", four, 4);
	reads("2-3,0-1\n", four, 4);
	reads("0-2,1-3", four, 4);
	reads("0,2-3,63-64,4095\n", mixed, 6);
	refuses("x", -EINVAL);
	refuses("1-", -EINVAL);
	refuses("-1", -EINVAL);
	refuses("1,", -EINVAL);
	refuses(",1", -EINVAL);
	refuses("3-1", -EINVAL);
	refuses("1 2", -EINVAL);
	refuses("1\n2", -EINVAL);
	refuses("4096", -ERANGE);
	refuses("0-4096", -ERANGE);
	refuses("99999999999999999999", -ERANGE);
	return done();
}
