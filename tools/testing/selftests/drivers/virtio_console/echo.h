/* SPDX-License-Identifier: GPL-2.0-only */
/* What has a test for a partner on the host: a port that sends back what it gets. */
#ifndef SELFTESTS_VIRTIO_CONSOLE_ECHO_H
#define SELFTESTS_VIRTIO_CONSOLE_ECHO_H

#include <stdbool.h>
#include <sys/types.h>

#define ECHO_PAGE 4096UL

/**
 * struct echo - a port, and how far the data through it has come
 * @fd: the port, open for both directions and not blocking
 * @sent: bytes the port has accepted; what is sent is a pattern that never repeats
 * @got: bytes that came back
 * @port: the port's directory in sysfs
 * @device: the virtio device's, once it was asked for
 *
 * As long as a test does not read, the host does not either: that is how a slow
 * host is had without any help from outside.
 */
struct echo {
	int fd;
	size_t sent;
	size_t got;
	char port[64];
	const char *device;
};

/**
 * echo_open() - find a port by its name, and open it
 * @echo: filled in
 * @name: as in /sys/class/virtio-ports/PORT/name
 *
 * Return: 0, -ENOENT if there is no such port, or another negative error number.
 */
int echo_open(struct echo *echo, const char *name);

/**
 * echo_wait() - wait until the port can be written
 * @echo: the port
 * @seconds: no longer than this
 *
 * Return: 0, or -ETIMEDOUT.
 */
int echo_wait(const struct echo *echo, int seconds);

/**
 * echo_block() - let operations on the port wait, or not
 * @echo: the port
 * @block: whether they wait
 */
void echo_block(const struct echo *echo, bool block);

/**
 * echo_stall() - write until the queue to the host is full
 * @echo: the port
 *
 * Return: 0 when a write would block, or a negative error number.
 */
int echo_stall(struct echo *echo);

/**
 * echo_read() - read all of some bytes that come back
 * @echo: the port
 * @data: where to
 * @len: how many
 *
 * Return: 0, or -ETIMEDOUT when nothing comes for 10 seconds.
 */
int echo_read(struct echo *echo, void *data, size_t len);

/**
 * echo_discard() - throw away what comes back until nothing does for a while
 * @echo: the port
 */
void echo_discard(const struct echo *echo);

/**
 * echo_expect() - read what comes back, and compare it with what was sent
 * @echo: the port
 * @len: how many bytes
 *
 * Return: 0, -EBADMSG if it is not what was sent, or -ETIMEDOUT.
 */
int echo_expect(struct echo *echo, size_t len);

/**
 * echo_check() - read everything that was sent, and compare it
 * @echo: the port
 *
 * Return: 0, -EBADMSG if it is not what was sent, or -ETIMEDOUT.
 */
int echo_check(struct echo *echo);

/**
 * echo_splice() - splice from a pipe into the port
 * @echo: the port
 * @pipe: the pipe, which has the pattern from @echo->sent on
 * @len: as of splice()
 * @flags: as of splice()
 *
 * Return: bytes, or a negative error number.
 */
ssize_t echo_splice(struct echo *echo, int pipe[2], size_t len, unsigned int flags);

/**
 * echo_drain() - splice until the pipe is empty, and compare what comes back
 * @echo: the port
 * @pipe: the pipe, which has the pattern from @echo->sent on
 * @flags: as of splice()
 *
 * What comes back is only read when nothing else goes.
 *
 * Return: 0, or a negative error number if anything is lost or not what it was.
 */
int echo_drain(struct echo *echo, int pipe[2], unsigned int flags);

/**
 * echo_send() - fill a pipe with the pattern, and drain it
 * @echo: the port
 * @size: of the pipe, in bytes
 * @flags: as of splice()
 *
 * Return: 0, TEST_SKIP without the right to such a pipe, or a negative error number.
 */
int echo_send(struct echo *echo, size_t size, unsigned int flags);

/**
 * pattern_fill() - write the pattern into memory
 * @data: where to
 * @len: how much
 * @offset: position in the stream
 */
void pattern_fill(void *data, size_t len, size_t offset);

/**
 * pipe_open() - make a pipe that holds some bytes in whole pages
 * @fds: filled in
 * @size: bytes
 *
 * Return: 0 or a negative error number.
 */
int pipe_open(int fds[2], size_t size);

/**
 * pipe_close() - close both ends
 * @fds: the pipe
 */
void pipe_close(int fds[2]);

/**
 * pipe_fill() - write the pattern into a pipe
 * @fds: the pipe
 * @len: how much
 * @offset: position in the stream
 *
 * Return: 0 or a negative error number.
 */
int pipe_fill(int fds[2], size_t len, size_t offset);

/**
 * pipe_bytes() - how much is in a pipe
 * @fds: the pipe
 *
 * Return: number of bytes.
 */
size_t pipe_bytes(int fds[2]);

/**
 * file_write() - write a word to a file of sysfs or tracefs
 * @path: the file
 * @word: what
 *
 * Return: 0 or a negative error number.
 */
int file_write(const char *path, const char *word);

#endif /* SELFTESTS_VIRTIO_CONSOLE_ECHO_H */
