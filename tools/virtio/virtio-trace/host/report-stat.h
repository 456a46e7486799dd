/* SPDX-License-Identifier: GPL-2.0-only */
/* How much each CPU recorded and lost. */
#ifndef VIRTIO_TRACE_REPORT_STAT_H
#define VIRTIO_TRACE_REPORT_STAT_H

#include "datread.h"

/**
 * report_stat() - print how much each CPU recorded and lost
 * @dr: the trace
 * @wanted: which of dr->cpu, by index; NULL: all
 *
 * One line per CPU, key=value; then, where the trace has them, the kernel's own
 * counts at the end of the recording, indented.
 *
 * Return: exit status, see enum cmd_status.
 */
int report_stat(struct datread *dr, const bool *wanted);

#endif
