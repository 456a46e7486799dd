/* SPDX-License-Identifier: GPL-2.0-only */
/* The command `virtio-trace report`: a recorded trace as text. */
#ifndef VIRTIO_TRACE_REPORT_H
#define VIRTIO_TRACE_REPORT_H

/**
 * cmd_report() - show a recorded trace as text
 * @argc: number of words, the command's name included
 * @argv: the words
 *
 * Return: exit status, see enum cmd_status.
 */
int cmd_report(int argc, char **argv);

#endif
