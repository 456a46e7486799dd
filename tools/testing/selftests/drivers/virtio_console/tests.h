/* SPDX-License-Identifier: GPL-2.0-only */
/* Which tests are not in splice.c? Each takes its port, and returns as struct test says. */
#ifndef SELFTESTS_VIRTIO_CONSOLE_TESTS_H
#define SELFTESTS_VIRTIO_CONSOLE_TESTS_H

#include "echo.h"

/* file.c: pages of a file */
int test_partial(struct echo *echo);
int test_cached(struct echo *echo);
int test_moved(struct echo *echo);

/* host.c: the host is slow, stalled, away or back */
int test_slow(struct echo *echo);
int test_woken(struct echo *echo);
int test_absent(struct echo *echo);
int test_return(struct echo *echo);
int test_bound(struct echo *echo);
int test_packets(struct echo *echo);

/* memory.c: allocations fail */
int test_memory(struct echo *echo);

/* subbuf.c: pipe buffers of many pages */
int test_subbuf(struct echo *echo);

/* writers.c: several tasks use one port or one pipe */
int test_writers(struct echo *echo);
int test_shared(struct echo *echo);

#endif /* SELFTESTS_VIRTIO_CONSOLE_TESTS_H */
