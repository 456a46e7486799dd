/* SPDX-License-Identifier: GPL-2.0-only */
/* How is one allocation of a task made to fail, the first, the second and so on? */
#ifndef SELFTESTS_RING_BUFFER_FAULTS_H
#define SELFTESTS_RING_BUFFER_FAULTS_H

#include <stdbool.h>

#define FAULTS_SETTINGS 5

/**
 * struct faults - allocations that fail when told to
 * @settings: what debugfs had for the kinds of faults, to be put back
 * @nth: /proc/thread-self/fail-nth
 */
struct faults {
	char settings[FAULTS_SETTINGS][16];
	int nth;
};

/**
 * faults_begin() - let allocations of slabs and pages fail, also those that may sleep
 * @faults: filled in
 *
 * The calling task alone is meant, see Documentation/fault-injection/fault-injection.rst.
 *
 * Return: 0, -ENOENT when the kernel injects no faults or debugfs is not mounted, or another
 * negative error number.
 */
int faults_begin(struct faults *faults);

/**
 * faults_arm() - make an allocation fail
 * @faults: the faults
 * @n: which, counted from 1 from here on
 *
 * Return: 0 or a negative error number.
 */
int faults_arm(const struct faults *faults, unsigned int n);

/**
 * faults_disarm() - let no more fail
 * @faults: the faults
 *
 * Return: whether there were as many allocations, and so one has failed.
 */
bool faults_disarm(const struct faults *faults);

/**
 * faults_end() - put the kernel's settings back
 * @faults: the faults
 */
void faults_end(struct faults *faults);

#endif /* SELFTESTS_RING_BUFFER_FAULTS_H */
