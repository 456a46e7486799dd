// SPDX-License-Identifier: GPL-2.0-only
/* Which of many steps, fed with a guest's words, would crash, hang or eat this process? */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN_MAX 16
#define CPU_SECONDS 2
#define DATA_MORE_MAX (256UL * 1024 * 1024)

/* How much memory the process may write to as it is, in bytes; 0 when nobody can tell. */
static unsigned long data_bytes(void)
{
	unsigned long pages = 0;
	FILE *statm;

	statm = fopen("/proc/self/statm", "re");
	if (!statm)
		return 0;
	if (fscanf(statm, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	fclose(statm);
	return pages * sysconf(_SC_PAGESIZE);
}

static void child_limit(void)
{
	const struct rlimit no_core = { 0, 0 }, cpu = { CPU_SECONDS, CPU_SECONDS };
	const unsigned long now = data_bytes();
	const struct rlimit data = { now + DATA_MORE_MAX, now + DATA_MORE_MAX };

	setrlimit(RLIMIT_CORE, &no_core);
	setrlimit(RLIMIT_CPU, &cpu);
	if (now)
		setrlimit(RLIMIT_DATA, &data);
}

/* Takes the steps from *@at on; *@at is seen by the parent and tells the last one begun. */
static void child_run(u32 count, void (*step)(void *to, u32 i), void *to, atomic_uint *at)
{
	int null;

	child_limit();
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	for (; *at < count; ++*at)
		step(to, *at);
	_exit(0);
}

/* Returns when the child has taken all steps or died of one. */
static bool child_try(u32 count, void (*step)(void *to, u32 i), void *to, atomic_uint *at)
{
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return false;
	if (!pid)
		child_run(count, step, to, at);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

void trial_run(u32 count, void (*step)(void *to, u32 i), void *to, bool *fatal)
{
	atomic_uint *at;
	int children;

	at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		memset(fatal, true, count);
		return;
	}
	for (children = 0; *at < count && children < CHILDREN_MAX; children++) {
		if (!child_try(count, step, to, at))
			break;
		if (*at < count)
			fatal[(*at)++] = true;
	}
	if (*at < count)
		memset(fatal + *at, true, count - *at);
	munmap(at, sizeof(*at));
}
