/* SPDX-License-Identifier: GPL-2.0-only */
/* How are system calls on a port made whose allocations fail? */
#ifndef SELFTESTS_VIRTIO_CONSOLE_FAULTS_H
#define SELFTESTS_VIRTIO_CONSOLE_FAULTS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * faults_prepare() - have allocations fail, in tasks that ask for it
 * @percent: of allocations between faults_begin() and faults_end(), of slab and of pages
 *
 * Return: 0, TEST_SKIP if the kernel can't do that, or a negative error number.
 */
int faults_prepare(int percent);

/**
 * faults_happen() - do allocations of faulty_splice() and faulty_write() fail?
 *
 * Return: whether they may.
 */
bool faults_happen(void);

/**
 * faults_end_all() - undo faults_prepare(), for the whole system
 */
void faults_end_all(void);

/**
 * faults_nth() - have one allocation of this task fail
 * @nth: which, counted from now on; 0 for none
 *
 * Return: what was left of the number given before: 0 if that one has failed; or a
 * negative error number.
 */
int faults_nth(int nth);

/**
 * faulty_splice() - splice() from a pipe into a port
 * @pipe: the pipe's end
 * @port: the port
 * @len: as of splice()
 * @flags: as of splice()
 *
 * Where allocations fail, it goes on after an error of theirs and after a short splice,
 * so that the result is what it would be without.
 *
 * Return: bytes, or a negative error number.
 */
ssize_t faulty_splice(int pipe, int port, size_t len, unsigned int flags);

/**
 * faulty_write() - write() into a port, in the same way
 * @port: the port
 * @data: as of write()
 * @len: as of write()
 *
 * Return: bytes, or a negative error number.
 */
ssize_t faulty_write(int port, const void *data, size_t len);

#endif /* SELFTESTS_VIRTIO_CONSOLE_FAULTS_H */
