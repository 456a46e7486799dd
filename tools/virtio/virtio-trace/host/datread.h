/* SPDX-License-Identifier: GPL-2.0-only */
/* Recorded traces: what is in a trace.dat of version 6, or in raw captures with a guest's files. */
#ifndef VIRTIO_TRACE_DATREAD_H
#define VIRTIO_TRACE_DATREAD_H

#include "../types.h"
#include "decoder.h"
#include "source.h"
#include "subbuf.h"

/**
 * struct datread_file - a file that sub-buffers are in
 * @path: its name
 * @fd: the open file
 */
struct datread_file {
	char *path;
	int fd;
};

/**
 * struct datread_cpu - one CPU's sub-buffers
 * @cpu: the CPU's number
 * @file: the file they are in
 * @offset: where they begin
 * @size: bytes; the last sub-buffer may be cut
 * @stat: the text of option CPUSTAT, or NULL
 */
struct datread_cpu {
	u32 cpu;
	const struct datread_file *file;
	u64 offset;
	u64 size;
	char *stat;
};

/**
 * struct datread - a recorded trace
 * @layout: the guest's sub-buffers
 * @decoder: knows the guest's formats, symbols and task names
 * @ts_is_ns: the trace clock counts nanoseconds
 * @clock: its name
 * @damaged: something was left out, and told
 * @files: number of entries in @file
 * @file: one trace.dat, or a raw capture per CPU
 * @cpus: number of entries in @cpu
 * @cpu: the CPUs
 */
struct datread {
	struct subbuf_layout layout;
	struct decoder *decoder;
	bool ts_is_ns;
	char clock[32];
	bool damaged;
	u32 files;
	struct datread_file *file;
	u32 cpus;
	struct datread_cpu *cpu;
};

/**
 * datread_open() - open a trace.dat
 * @path: the file
 * @plugins: load libtraceevent's plugins
 * @out: the trace; closed with datread_close()
 *
 * Every length in the file is checked against the file; its contents are the
 * guest's words. Says what is wrong with it.
 *
 * Return: 0, -errno, -ENOTSUP for what trace-cmd reads but this does not.
 */
int datread_open(const char *path, bool plugins, struct datread **out);

/**
 * datread_open_raw() - take raw captures of data ports together with a guest's files
 * @src: the guest's files: formats, kallsyms, task names
 * @paths: one capture per CPU, whose number is the last one in the file's name
 * @count: how many
 * @plugins: load libtraceevent's plugins
 * @out: the trace; closed with datread_close()
 *
 * The guest's byte order is taken from its agent/machine where @src has it,
 * else from the captures. Says what is wrong.
 *
 * Return: 0 or -errno.
 */
int datread_open_raw(struct source *src, char **paths, u32 count, bool plugins,
		     struct datread **out);

/**
 * datread_close() - end what datread_open() or datread_open_raw() began
 * @dr: the trace; NULL is allowed
 */
void datread_close(struct datread *dr);

/**
 * datread_alloc() - a trace still empty
 * @files: how many files it is in
 *
 * Return: the trace, its clock "local", its files not open; NULL when out of memory.
 */
struct datread *datread_alloc(u32 files);

/**
 * datread_add_file() - open the next of a trace's files
 * @dr: the trace
 * @path: the file
 * @size: its size
 *
 * Says what failed.
 *
 * Return: 0 or -errno.
 */
int datread_add_file(struct datread *dr, const char *path, u64 *size);

/**
 * datread_add_cpus() - make room for CPUs, numbered from 0
 * @dr: the trace
 * @cpus: how many
 *
 * Return: 0, -ENOMEM, -ERANGE for none or more than any guest has.
 */
int datread_add_cpus(struct datread *dr, u64 cpus);

/**
 * datread_clock() - take the name of the clock out of a trace_clock file's text
 * @dr: the trace; @clock and @ts_is_ns are set
 * @text: the text: "[local] global ..."
 */
void datread_clock(struct datread *dr, const char *text);

#endif
