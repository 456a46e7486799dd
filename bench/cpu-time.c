// SPDX-License-Identifier: GPL-2.0-only
/* How much processor time does a command take, in nanoseconds? */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * usage: cpu-time COMMAND...
 *
 * Prints the processor time of the command and its children; in a guest whose clock counts
 * instructions these are instructions. time(1) of a small guest knows hundredths of a second.
 */

static long long timeval_ns(struct timeval time)
{
	return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int pid, status;

	if (argc < 2) {
		fputs("usage: cpu-time COMMAND...\n", stderr);
		return 2;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%lld\n", timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
