/* SPDX-License-Identifier: GPL-2.0-only */
/* The command record. */
#ifndef VIRTIO_TRACE_RECORD_H
#define VIRTIO_TRACE_RECORD_H

/**
 * cmd_record() - record a guest until a signal, a time, a size or a command's end
 * @argc: number of words, "record" included
 * @argv: the words
 *
 * Return: exit status, see enum cmd_status.
 */
int cmd_record(int argc, char **argv);

#endif
