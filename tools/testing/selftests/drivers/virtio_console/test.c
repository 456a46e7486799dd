// SPDX-License-Identifier: GPL-2.0-only
/* How are tests run that may end in a task which nobody can kill? */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"
#include "test.h"

enum { PASS = 0, FAIL = 1, SKIP = 4 };

static int slowness = 1;
static int fault_percent;

static int test_main(const struct test *test)
{
	struct echo echo;
	int ret = echo_open(&echo, test->port);

	if (ret == -ENOENT) {
		test_note("no port is named %s", test->port);
		return SKIP;
	}
	/* Each test may change that for all. */
	if (!ret && fault_percent)
		ret = faults_prepare(fault_percent);
	if (!ret)
		ret = test->run(&echo);
	if (ret == TEST_SKIP)
		return SKIP;
	if (ret < 0)
		test_note("%s", strerror(-ret));
	close(echo.fd);

	return ret ? FAIL : PASS;
}

/* A child that can't even be killed is left behind. */
static int child_wait(pid_t pid, int seconds)
{
	int tries, status;

	for (tries = (seconds * slowness + 2) * 10; tries; tries--) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : FAIL;
		if (tries == 20)
			kill(pid, SIGKILL);
		usleep(100000);
	}
	test_note("hangs, and can't be killed");
	return FAIL;
}

static int test_run(const struct test *test)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return FAIL;
	if (pid == 0) {
		int ret = test_main(test);

		fflush(stdout);
		_exit(ret);
	}
	return child_wait(pid, test->seconds);
}

static bool test_wanted(const struct test *test, char **names)
{
	char **name;

	for (name = names; *name; name++)
		if (!strcmp(*name, test->name))
			return true;
	return !*names;
}

/* Returns an exit status if the tests can't be run. */
static int options_take(int argc, char **argv)
{
	int option, ret = PASS;

	while ((option = getopt(argc, argv, "f:t:")) != -1) {
		switch (option) {
		case 'f':
			fault_percent = atoi(optarg);
			ret = faults_prepare(fault_percent);
			break;
		case 't':
			slowness = atoi(optarg);
			break;
		default:
			fprintf(stderr, "usage: splice [-f PERCENT] [-t FACTOR] [TEST]...\n");
			return FAIL;
		}
	}
	return ret == TEST_SKIP ? SKIP : ret ? FAIL : PASS;
}

int tests_run(const struct test *tests, int nr, int argc, char **argv)
{
	int i, ret = options_take(argc, argv), count = 0, failed = 0, skipped = 0;

	if (ret)
		return ret;
	printf("TAP version 13\n");
	for (i = 0; i < nr; i++) {
		if (!test_wanted(&tests[i], argv + optind))
			continue;
		ret = test_run(&tests[i]);
		failed += ret != PASS && ret != SKIP;
		skipped += ret == SKIP;
		printf("%s %d %s%s\n", ret == PASS || ret == SKIP ? "ok" : "not ok", ++count,
		       tests[i].name, ret == SKIP ? " # SKIP" : "");
	}
	printf("1..%d\n", count);
	faults_end_all();
	if (failed || !count)
		return FAIL;

	return skipped == count ? SKIP : PASS;
}
