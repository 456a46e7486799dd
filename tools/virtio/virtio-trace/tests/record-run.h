/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs of `record` in a process of their own, against a guest that is none. */
#ifndef VIRTIO_TRACE_RECORD_RUN_H
#define VIRTIO_TRACE_RECORD_RUN_H

#include <sys/resource.h>
#include <sys/wait.h>

#include "../host/cmd.h"
#include "../host/record.h"
#include "peer.h"

/**
 * struct run - record in a process of its own
 * @peer: the guest
 * @output: the file it writes
 * @out: what it says on stdout, a file
 * @err: on stderr
 * @pid: the process
 */
struct run {
	struct peer *peer;
	char output[96];
	char out[96];
	char err[96];
	pid_t pid;
};

static inline void run_init(struct run *run, struct peer *peer)
{
	run->peer = peer;
	snprintf(run->output, sizeof(run->output), "%s/trace.dat", peer->dir);
	snprintf(run->out, sizeof(run->out), "%s/out", peer->dir);
	snprintf(run->err, sizeof(run->err), "%s/err", peer->dir);
}

/* In the new process: the files it may write have a limit, and somebody reads what it says. */
static inline void run_prepare(const struct run *run, rlim_t file_max)
{
	struct rlimit limit = { .rlim_cur = file_max, .rlim_max = file_max };

	/* Only the guest may hold its ends of the FIFOs. */
	close(run->peer->fifo[0]);
	close(run->peer->fifo[1]);
	if (!freopen(run->out, "w", stdout) || !freopen(run->err, "w", stderr))
		_exit(99);
	if (file_max)
		setrlimit(RLIMIT_FSIZE, &limit);
}

/* The words after "record -o FILE GUEST" stand in @more, separated by '|'. */
static inline void run_start(struct run *run, rlim_t file_max, const char *more)
{
	char *argv[32] = { "record", "-q", "--timeout", "2s", "-o", run->output,
			   run->peer->guest };
	char words[256], *rest = words;
	int argc = 7, status;

	snprintf(words, sizeof(words), "%s", more);
	while (*words && (argv[argc] = strsep(&rest, "|")))
		argc++;
	fflush(stdout);
	run->pid = fork();
	if (run->pid)
		return;
	run_prepare(run, file_max);
	status = cmd_record(argc, argv);
	fflush(stdout);
	_exit(status);
}

static inline int run_wait(struct run *run)
{
	int status;

	if (waitpid(run->pid, &status, 0) != run->pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static inline bool file_says(const char *path, const char *text)
{
	char all[8192];
	FILE *f = fopen(path, "r");
	size_t len;

	if (!f)
		return false;
	len = fread(all, 1, sizeof(all) - 1, f);
	all[len] = '\0';
	fclose(f);
	if (strstr(all, text))
		return true;
	printf("# %s says:\n", path);
	for (text = strtok(all, "\n"); text; text = strtok(NULL, "\n"))
		printf("#   %s\n", text);
	return false;
}

static inline int file_lines(const char *path)
{
	FILE *f = fopen(path, "r");
	int c, lines = 0;

	if (!f)
		return -1;
	while ((c = getc(f)) != EOF)
		lines += c == '\n';
	fclose(f);
	return lines;
}

static inline void wait_for_order(struct peer *peer)
{
	int i;

	for (i = 0; i < 1000 && !atomic_load(&peer->order); i++)
		poll(NULL, 0, 10);
	/* Progress comes after the start; so does what the tests do next. */
	poll(NULL, 0, 100);
}

/* A guest, and a recording of it that has begun. */
static inline void record_begin(struct run *run, struct peer *peer, const char *more)
{
	peer_start(peer);
	run_init(run, peer);
	run_start(run, 0, more);
}

/* The same until it has ended; the guest remains to be looked at. */
static inline int record_once(struct run *run, struct peer *peer, const char *more)
{
	record_begin(run, peer, more);
	return run_wait(run);
}

static inline void record_done(struct peer *peer)
{
	peer_stop(peer);
	peer_exit(peer);
}

#endif
