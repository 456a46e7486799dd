/* SPDX-License-Identifier: GPL-2.0-only */
/* The version both programs print and /agent/version reports. */
#ifndef VIRTIO_TRACE_VERSION_H
#define VIRTIO_TRACE_VERSION_H

#define VIRTIO_TRACE_VERSION "0.1.0"

#endif
