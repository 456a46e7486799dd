/* SPDX-License-Identifier: GPL-2.0-only */
/* How are tests run that may end in a task which nobody can kill? */
#ifndef SELFTESTS_VIRTIO_CONSOLE_TEST_H
#define SELFTESTS_VIRTIO_CONSOLE_TEST_H

#include <stdio.h>

#include "echo.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What a test returns when something it needs is missing here */
#define TEST_SKIP 1000

/**
 * struct test - one test
 * @name: as in the command line
 * @run: runs it in a process of its own; returns 0, TEST_SKIP or a negative error number
 * @port: name of the port it uses
 * @seconds: how long it may take
 */
struct test {
	const char *name;
	int (*run)(struct echo *echo);
	const char *port;
	int seconds;
};

/* Says why a test is about to fail or to be skipped */
#define test_note(format, ...) printf("# " format "\n", ##__VA_ARGS__)

/**
 * tests_run() - run the tests named in the command line, or all
 *
 * Options: -f PERCENT has that many of the allocations fail that are made by sending;
 * -t FACTOR gives every test more time, for kernels that are slow.
 *
 * @tests: all of them
 * @nr: how many
 * @argc: main()'s
 * @argv: main()'s
 *
 * Return: exit status: 0, or 1 if one failed, or 4 if all were skipped.
 */
int tests_run(const struct test *tests, int nr, int argc, char **argv);

#endif /* SELFTESTS_VIRTIO_CONSOLE_TEST_H */
