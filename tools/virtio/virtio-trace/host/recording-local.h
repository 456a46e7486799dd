/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of a recording share. */
#ifndef VIRTIO_TRACE_RECORDING_LOCAL_H
#define VIRTIO_TRACE_RECORDING_LOCAL_H

#include "recording.h"

/**
 * recording_drain_stale() - throw away what an earlier reader left in the FIFOs
 * @recording: the recording, its collector without a file
 *
 * Says how much it was.
 */
void recording_drain_stale(struct recording *recording);

/**
 * recording_begin_raw() - start the way of 2012: raw files, orders by FIFO
 * @recording: the recording, its guest locked and its collector open
 *
 * Return: 0 or -errno.
 */
int recording_begin_raw(struct recording *recording);

/**
 * recording_end_raw() - stop the way of 2012
 * @recording: the recording
 *
 * Return: 0 or -errno.
 */
int recording_end_raw(struct recording *recording);

/**
 * recording_report_raw() - tell what came
 * @recording: the recording
 * @out: where to
 */
void recording_report_raw(const struct recording *recording, FILE *out);

#endif
