// SPDX-License-Identifier: GPL-2.0-only
/* Which signals and which command end a recording? */
#include "workload.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../msg.h"

/* How long a command may take to end when it is told to; looked at in slices. */
#define END_MS 2000
#define END_SLICE_MS 100

static void workload_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

int workload_init(struct workload *workload, char **argv)
{
	sigset_t set;

	*workload = (struct workload){ .argv = argv };
	/* A closed pipe and a file's size limit are errors to be told, not to die of. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	workload_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &workload->mask);
	workload->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return workload->signal_fd < 0 ? msg_err(errno, "signalfd") : 0;
}

int workload_start(struct workload *workload)
{
	posix_spawnattr_t attr;
	sigset_t ignored;
	int err;

	if (!workload->argv)
		return 0;
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGPIPE);
	sigaddset(&ignored, SIGXFSZ);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &workload->mask);
	posix_spawnattr_setsigdefault(&attr, &ignored);
	err = posix_spawnp(&workload->pid, workload->argv[0], NULL, &attr, workload->argv,
			   environ);
	posix_spawnattr_destroy(&attr);
	if (!err)
		return 0;
	workload->pid = 0;
	return msg_err(err, "run %s", workload->argv[0]);
}

static void workload_told(struct workload *workload, int status)
{
	workload->pid = 0;
	workload->exited = true;
	if (WIFSIGNALED(status))
		msg_info("%s: ended by signal %d", workload->argv[0], WTERMSIG(status));
	else
		msg_info("%s: exit status %d", workload->argv[0], WEXITSTATUS(status));
}

void workload_read(struct workload *workload)
{
	struct signalfd_siginfo info;
	int status;

	while (read(workload->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			workload->signal = info.ssi_signo;
	if (workload->pid && waitpid(workload->pid, &status, WNOHANG) == workload->pid)
		workload_told(workload, status);
}

/* Nobody who asked for the end of a recording wants to wait for a deaf command. */
static void workload_end(struct workload *workload)
{
	struct pollfd signals = { .fd = workload->signal_fd, .events = POLLIN };
	int ms, status;

	kill(workload->pid, SIGTERM);
	for (ms = 0; workload->pid && ms < END_MS; ms += END_SLICE_MS) {
		poll(&signals, 1, END_SLICE_MS);
		workload_read(workload);
	}
	if (!workload->pid)
		return;
	msg_info("%s: did not end within %d s: killing it", workload->argv[0], END_MS / 1000);
	kill(workload->pid, SIGKILL);
	if (waitpid(workload->pid, &status, 0) == workload->pid)
		workload_told(workload, status);
}

void workload_exit(struct workload *workload)
{
	if (workload->pid)
		workload_end(workload);
	if (workload->signal_fd >= 0)
		close(workload->signal_fd);
	workload->signal_fd = -1;
	sigprocmask(SIG_SETMASK, &workload->mask, NULL);
}
