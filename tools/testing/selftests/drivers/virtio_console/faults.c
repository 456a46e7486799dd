// SPDX-License-Identifier: GPL-2.0-only
/* How are system calls on a port made whose allocations fail? */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "faults.h"
#include "test.h"

#define DEBUGFS "/sys/kernel/debug/"

static bool faults_wanted;

static int attr_set(const char *dir, const char *attr, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", dir, attr);

	return file_write(path, value);
}

/* Waiting for memory is no way out, and the console stays silent. */
static int faults_set(const char *dir, const char *percent)
{
	return attr_set(dir, "probability", percent) ?:
		attr_set(dir, "task-filter", "1") ?:
		attr_set(dir, "ignore-gfp-wait", "0") ?:
		attr_set(dir, "times", "-1") ?:
		attr_set(dir, "verbose", "0");
}

int faults_prepare(int percent)
{
	char word[16];
	int ret;

	mount("debugfs", DEBUGFS, "debugfs", 0, NULL);
	if (access("/proc/thread-self/fail-nth", W_OK) || access(DEBUGFS "failslab", F_OK)) {
		test_note("no fault injection in this kernel");
		return TEST_SKIP;
	}
	snprintf(word, sizeof(word), "%d", percent);
	ret = faults_set("failslab", word) ?:
		faults_set("fail_page_alloc", word) ?:
		attr_set("fail_page_alloc", "min-order", "0");
	faults_wanted = !ret && percent > 0;

	return ret;
}

bool faults_happen(void)
{
	return faults_wanted;
}

void faults_end_all(void)
{
	attr_set("failslab", "probability", "0");
	attr_set("fail_page_alloc", "probability", "0");
	faults_wanted = false;
}

int faults_nth(int nth)
{
	static int fd = -1;
	char word[16] = "";
	int left;

	if (fd < 0)
		fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fd < 0 || pread(fd, word, sizeof(word) - 1, 0) < 0)
		return -errno;
	left = atoi(word);
	snprintf(word, sizeof(word), "%d", nth);
	if (pwrite(fd, word, strlen(word), 0) < 0)
		return -errno;

	return left;
}

/* Opening the file could fail, too. */
static void faults_switch(const char *on)
{
	static __thread int fd = -1;

	if (!faults_wanted)
		return;
	if (fd < 0)
		fd = open("/proc/thread-self/make-it-fail", O_WRONLY | O_CLOEXEC);
	if (pwrite(fd, on, strlen(on), 0) < 0)
		test_note("make-it-fail: %s", strerror(errno));
}

ssize_t faulty_splice(int pipe, int port, size_t len, unsigned int flags)
{
	size_t done = 0;
	ssize_t n;

	do {
		faults_switch("1");
		n = splice(pipe, NULL, port, NULL, len - done, flags);
		if (n < 0)
			n = -errno;
		faults_switch("0");
		if (n > 0) {
			/* The rest may not be in the pipe. */
			flags |= SPLICE_F_NONBLOCK;
			done += n;
		}
	} while (faults_wanted && done < len && (n > 0 || n == -ENOMEM));

	return done ? (ssize_t)done : n;
}

ssize_t faulty_write(int port, const void *data, size_t len)
{
	ssize_t n;

	do {
		faults_switch("1");
		n = write(port, data, len);
		if (n < 0)
			n = -errno;
		faults_switch("0");
	} while (faults_wanted && n == -ENOMEM);

	return n;
}
