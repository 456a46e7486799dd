// SPDX-License-Identifier: GPL-2.0-only
/* Reading CPU lists. */
#include "cpulist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cpulist_has(const struct cpulist *list, unsigned int cpu)
{
	return cpu < CPULIST_MAX && list->bits[cpu / 64] >> (cpu % 64) & 1;
}

void cpulist_add(struct cpulist *list, unsigned int cpu)
{
	list->bits[cpu / 64] |= 1ULL << (cpu % 64);
}

static int cpulist_number(const char **text, unsigned int *cpu)
{
	unsigned long n;
	char *end;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	n = strtoul(*text, &end, 10);
	if (n >= CPULIST_MAX)
		return -ERANGE;
	*text = end;
	*cpu = n;
	return 0;
}

int cpulist_parse(const char *text, struct cpulist *list)
{
	unsigned int first, last;
	int ret;

	memset(list, 0, sizeof(*list));
	while (*text && *text != '\n') {
		ret = cpulist_number(&text, &first);
		if (ret)
			return ret;
		last = first;
		if (*text == '-') {
			text++;
			ret = cpulist_number(&text, &last);
			if (ret)
				return ret;
		}
		if (last < first)
			return -EINVAL;
		for (; first <= last; first++)
			cpulist_add(list, first);
		if (*text == ',' && text[1])
			text++;
		else if (*text && *text != '\n')
			return -EINVAL;
	}
	return *text && text[1] ? -EINVAL : 0;
}
