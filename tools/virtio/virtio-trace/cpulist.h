/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs as the kernel writes them: "0-3,5". */
#ifndef VIRTIO_TRACE_CPULIST_H
#define VIRTIO_TRACE_CPULIST_H

#include "types.h"

#define CPULIST_MAX 4096

/**
 * struct cpulist - a set of CPU numbers below CPULIST_MAX
 * @bits: one per CPU
 */
struct cpulist {
	u64 bits[CPULIST_MAX / 64];
};

/**
 * cpulist_parse() - read a list such as "0-3,5"
 * @text: the list; a newline may follow
 * @list: the set; emptied first
 *
 * Return: 0, -EINVAL when it is no list, -ERANGE for a CPU of CPULIST_MAX or above.
 */
int cpulist_parse(const char *text, struct cpulist *list);

/**
 * cpulist_has() - is a CPU in the set?
 * @list: the set
 * @cpu: the CPU
 *
 * Return: true if so.
 */
bool cpulist_has(const struct cpulist *list, unsigned int cpu);

/**
 * cpulist_add() - put a CPU into the set
 * @list: the set
 * @cpu: the CPU, below CPULIST_MAX
 */
void cpulist_add(struct cpulist *list, unsigned int cpu);

#endif
