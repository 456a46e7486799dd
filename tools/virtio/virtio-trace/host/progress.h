/* SPDX-License-Identifier: GPL-2.0-only */
/* One line a second that says how a recording goes. */
#ifndef VIRTIO_TRACE_PROGRESS_H
#define VIRTIO_TRACE_PROGRESS_H

#include "recording.h"

/**
 * progress_show() - show how far a recording is, on stderr
 * @recording: the recording
 *
 * On a terminal the line stands in place of the one before.
 */
void progress_show(const struct recording *recording);

/**
 * progress_end() - leave the last line where it is
 */
void progress_end(void);

#endif
