// SPDX-License-Identifier: GPL-2.0-only
/* How does the agent get into the background without hiding that it failed to start? */
#include "daemonize.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int daemonize_begin(int *ready_fd, int *status)
{
	int ends[2];
	char ready;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		*status = -errno;
		close(ends[0]);
		close(ends[1]);
		return *status;
	}
	if (!pid) {
		close(ends[0]);
		*ready_fd = ends[1];
		setsid();
		return 0;
	}
	close(ends[1]);
	*ready_fd = -1;
	/* The end of the pipe without a byte: the new process has ended, and said why. */
	*status = read(ends[0], &ready, 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
	close(ends[0]);
	return 1;
}

int daemonize_ready(int ready_fd)
{
	int null, ret = 0;

	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return -errno;
	if (chdir("/") || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    write(ready_fd, "", 1) != 1 || dup2(null, STDERR_FILENO) < 0)
		ret = -errno;
	close(null);
	close(ready_fd);
	return ret;
}
