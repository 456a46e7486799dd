// SPDX-License-Identifier: GPL-2.0-only
/* How is one allocation of a task made to fail, the first, the second and so on? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"

#define DEBUGFS "/sys/kernel/debug/"

/* By themselves kinds of faults spare allocations that may sleep, and single pages. */
static const struct {
	const char *path;
	const char *value;
} settings[FAULTS_SETTINGS] = {
	{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
	{ DEBUGFS "failslab/verbose", "0" },
	{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
	{ DEBUGFS "fail_page_alloc/min-order", "0" },
	{ DEBUGFS "fail_page_alloc/verbose", "0" },
};

/* Writes a setting; what it was goes to @old if that is not NULL. */
static int setting_write(const char *path, const char *value, char *old, size_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t len = 0;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (old) {
		len = read(fd, old, size - 1);
		old[len > 0 ? len : 0] = '\0';
	}
	if (len < 0 || write(fd, value, strlen(value)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static void settings_restore(struct faults *faults, unsigned int nr)
{
	while (nr--)
		setting_write(settings[nr].path, faults->settings[nr], NULL, 0);
}

int faults_begin(struct faults *faults)
{
	unsigned int i;
	int err;

	faults->nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (faults->nth < 0)
		return -errno;
	for (i = 0; i < FAULTS_SETTINGS; i++) {
		err = setting_write(settings[i].path, settings[i].value, faults->settings[i],
				    sizeof(faults->settings[i]));
		if (err)
			goto err_restore;
	}
	return 0;

err_restore:
	settings_restore(faults, i);
	close(faults->nth);
	return err;
}

int faults_arm(const struct faults *faults, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	return pwrite(faults->nth, text, len, 0) < 0 ? -errno : 0;
}

bool faults_disarm(const struct faults *faults)
{
	char text[16] = "";
	ssize_t len = pread(faults->nth, text, sizeof(text) - 1, 0);

	faults_arm(faults, 0);
	return len > 0 && !strtoul(text, NULL, 10);
}

void faults_end(struct faults *faults)
{
	settings_restore(faults, FAULTS_SETTINGS);
	close(faults->nth);
}
