/* SPDX-License-Identifier: GPL-2.0-only */
/* Short names of the kernel's integers in user space; a u64 prints as %llu everywhere. */
#ifndef VIRTIO_TRACE_TYPES_H
#define VIRTIO_TRACE_TYPES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s64 s64;

#define U32_MAX ((u32)~0U)
#define U64_MAX ((u64)~0ULL)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#ifndef __printf
#define __printf(a, b) __attribute__((__format__(printf, a, b)))
#endif

#endif
