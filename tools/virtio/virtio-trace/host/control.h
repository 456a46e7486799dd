/* SPDX-License-Identifier: GPL-2.0-only */
/* The commands that ask or tell a guest one thing: start, stop, status, cat, set. */
#ifndef VIRTIO_TRACE_HOST_CONTROL_H
#define VIRTIO_TRACE_HOST_CONTROL_H

/**
 * cmd_start() - give the order to start; somebody else reads the FIFOs
 * @argc: number of words, "start" included
 * @argv: the words
 *
 * Return: exit status, see enum cmd_status.
 */
int cmd_start(int argc, char **argv);

/**
 * cmd_stop() - give the order to stop
 * @argc: number of words, "stop" included
 * @argv: the words
 *
 * Return: exit status, see enum cmd_status.
 */
int cmd_stop(int argc, char **argv);

/**
 * cmd_status() - show the guest, the order in force and each CPU's counters
 * @argc: number of words, "status" included
 * @argv: the words
 *
 * Return: exit status, see enum cmd_status.
 */
int cmd_status(int argc, char **argv);

/**
 * cmd_cat() - print a file of the guest
 * @argc: number of words, "cat" included
 * @argv: the words
 *
 * Return: exit status, see enum cmd_status.
 */
int cmd_cat(int argc, char **argv);

/**
 * cmd_set() - write a value into a file of the guest
 * @argc: number of words, "set" included
 * @argv: the words
 *
 * Return: exit status, see enum cmd_status.
 */
int cmd_set(int argc, char **argv);

#endif
