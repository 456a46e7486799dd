/* SPDX-License-Identifier: GPL-2.0-only */
/* How do several tasks use a port, or the pipe before it, at the same time? */
#ifndef SELFTESTS_VIRTIO_CONSOLE_WRITERS_H
#define SELFTESTS_VIRTIO_CONSOLE_WRITERS_H

#include <pthread.h>

#include "echo.h"

/**
 * struct writer - a thread that writes one page into a pipe, a bit later
 * @thread: the thread
 * @pipe: the pipe
 * @offset: position of the page in the stream
 */
struct writer {
	pthread_t thread;
	int *pipe;
	size_t offset;
};

/**
 * writer_start() - start the thread
 * @writer: filled in
 * @pipe: the pipe
 * @offset: position of the page in the stream
 *
 * Return: 0 or a negative error number.
 */
int writer_start(struct writer *writer, int pipe[2], size_t offset);

/**
 * writer_join() - wait until it has written
 * @writer: the writer
 */
void writer_join(struct writer *writer);

/**
 * struct blocked - a thread in a splice() that waits for the host, and one that asks its pipe
 * @echo: the port
 * @pipe: the pipe
 * @splicer: the first thread
 * @asker: the second thread
 * @result: what the splice() came back with, once it did
 * @asking: whether there is one
 * @answered: whether it has got an answer
 */
struct blocked {
	struct echo *echo;
	int pipe[2];
	pthread_t splicer;
	pthread_t asker;
	ssize_t result;
	bool asking;
	bool answered;
};

/**
 * blocked_start() - fill the port, and start a splice() of a page
 * @blocked: filled in
 * @echo: the port
 *
 * Return: 0 or a negative error number.
 */
int blocked_start(struct blocked *blocked, struct echo *echo);

/**
 * blocked_pipe_usable() - have another thread ask how much is in the pipe
 * @blocked: what was started
 *
 * Return: whether it got an answer within 3 seconds.
 */
bool blocked_pipe_usable(struct blocked *blocked);

/**
 * blocked_end() - have the host read again, and wait for the threads
 * @blocked: what was started
 */
void blocked_end(struct blocked *blocked);

/**
 * struct sender - a thread that sends the pattern by splices that wait
 * @thread: the thread
 * @echo: the port
 * @len: bytes to be sent
 * @done: bytes that were accepted so far
 * @error: 0 or a negative error number
 */
struct sender {
	pthread_t thread;
	struct echo *echo;
	size_t len;
	size_t done;
	int error;
};

/**
 * sender_start() - start to send
 * @sender: filled in
 * @echo: the port; its @sent is as if everything were sent at once
 * @len: bytes, in whole pages
 *
 * Return: 0 or a negative error number.
 */
int sender_start(struct sender *sender, struct echo *echo, size_t len);

/**
 * sender_join() - wait until everything is sent
 * @sender: the sender
 *
 * Return: 0 or a negative error number.
 */
int sender_join(struct sender *sender);

#endif /* SELFTESTS_VIRTIO_CONSOLE_WRITERS_H */
