/* SPDX-License-Identifier: GPL-2.0-only */
/* The Test Anything Protocol for unit tests: ok(), is(), skip(), done(). */
#ifndef VIRTIO_TRACE_TAP_H
#define VIRTIO_TRACE_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../types.h"

static unsigned int tap_count, tap_failed;

/* A failed check is told with its place; the program goes on to the next. */
#define ok(cond, ...) tap_result(!!(cond), #cond, __FILE__, __LINE__, __VA_ARGS__)

/* Two numbers that must be equal; both are shown when they are not. */
#define is(got, want, ...) do {						\
	long long got_ = (got), want_ = (want);				\
	if (!tap_result(got_ == want_, #got " == " #want, __FILE__, __LINE__, __VA_ARGS__)) \
		printf("#   got %lld, want %lld\n", got_, want_);	\
} while (0)

static inline bool __printf(5, 6) tap_result(bool pass, const char *expr, const char *file,
					     int line, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %u - ", pass ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!pass) {
		tap_failed++;
		printf("#   failed: %s at %s:%d\n", expr, file, line);
	}
	return pass;
}

static inline void skip(const char *name, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_count, name, why);
}

/* Ends the program: the plan, and the verdict as exit status. */
static inline int done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
