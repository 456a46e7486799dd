/* SPDX-License-Identifier: GPL-2.0-only */
/* One guest's recording, from the lock on its directory to the ledger. */
#ifndef VIRTIO_TRACE_RECORDING_H
#define VIRTIO_TRACE_RECORDING_H

#include "../types.h"
#include "account.h"
#include "collector.h"
#include "guest.h"
#include "remote.h"
#include "settings.h"

/**
 * struct recording_wanted - what the user asked for
 * @base: directory of the guests; NULL: the default
 * @guest: name or path of the guest
 * @output: the trace.dat, or the directory of raw files; NULL: the default
 * @raw: record raw files, as if there were no agent-fs-path
 * @max_bytes: bytes of trace to store; 0: any number
 * @timeout_ms: how long the agent may take for an answer
 * @settings: what to change in the guest
 */
struct recording_wanted {
	const char *base;
	const char *guest;
	const char *output;
	bool raw;
	u64 max_bytes;
	u64 timeout_ms;
	struct settings_wanted settings;
};

/**
 * struct recording - one guest's recording
 * @wanted: what the user asked for
 * @output: the file or directory written
 * @guest: the guest
 * @client: its files; NULL: there are only FIFOs, and raw files are written
 * @machine: what kind of machine it is
 * @settings: what was changed in it
 * @collector: its FIFOs
 * @info: how the trace.dat was made
 * @dat: the trace.dat
 * @before: the guest's counters at the start
 * @after: at the end; none when they could not be had
 * @started: the order to start has been carried out
 * @begin_ms: when, on CLOCK_MONOTONIC
 * @end_ms: when the order to stop was given
 * @overwritten: events overwritten so far, as last looked at
 * @lost: bytes the agent lost so far, as last looked at
 */
struct recording {
	const struct recording_wanted *wanted;
	const char *output;
	struct guest guest;
	struct p9client *client;
	struct remote_machine machine;
	struct settings settings;
	struct collector collector;
	struct tracedat_info info;
	struct tracedat *dat;
	struct remote_stats before;
	struct remote_stats after;
	bool started;
	u64 begin_ms;
	u64 end_ms;
	u64 overwritten;
	u64 lost;
};

/**
 * recording_begin() - find the guest, change its settings, make the file, start
 * @recording: the recording; to be ended by recording_close() also after an error
 * @wanted: what the user asked for; must outlive it
 * @cancel_fd: once it is readable, do not go on
 *
 * Says what failed.
 *
 * Return: 0 or -errno; -EINTR: cancelled.
 */
int recording_begin(struct recording *recording, const struct recording_wanted *wanted,
		    int cancel_fd);

/**
 * recording_look() - see that the agent is alive, and what it counts
 * @recording: the recording
 *
 * Data is carried while the answer is awaited. Says what failed.
 *
 * Return: 0 or -errno.
 */
int recording_look(struct recording *recording);

/**
 * recording_end() - stop, fetch what was recorded before, put the guest back
 * @recording: the recording, started
 *
 * Says what failed, and goes on with what can still be done.
 *
 * Return: 0 or the first -errno.
 */
int recording_end(struct recording *recording);

/**
 * recording_report() - show where the trace is and the ledger
 * @recording: the recording, ended
 * @out: where to
 *
 * Return: whether the ledger closes and nothing was lost on the way.
 */
bool recording_report(const struct recording *recording, FILE *out);

/**
 * recording_close() - free everything; undo what recording_begin() began if it failed
 * @recording: the recording
 */
void recording_close(struct recording *recording);

/**
 * recording_now_ms() - time for @begin_ms and @end_ms
 *
 * Return: CLOCK_MONOTONIC in milliseconds.
 */
u64 recording_now_ms(void);

#endif
