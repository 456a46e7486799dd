/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of many steps, fed with a guest's words, would crash, hang or eat this process? */
#ifndef VIRTIO_TRACE_TRIAL_H
#define VIRTIO_TRACE_TRIAL_H

#include "../types.h"

/**
 * trial_run() - take all steps in a child process, to learn which ones it does not survive
 * @count: number of steps
 * @step: takes step @i; what it changes stays in the child
 * @to: for @step
 * @fatal: per step; set to true for one that ended the child, else left alone
 *
 * The child goes on behind a fatal step. With too many of them, or when there
 * can be no child, the steps that were not tried are called fatal too.
 */
void trial_run(u32 count, void (*step)(void *to, u32 i), void *to, bool *fatal);

#endif
