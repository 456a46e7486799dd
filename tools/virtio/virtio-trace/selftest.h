/* SPDX-License-Identifier: GPL-2.0-only */
/* Is everything there that the agent needs? */
#ifndef VIRTIO_TRACE_SELFTEST_H
#define VIRTIO_TRACE_SELFTEST_H

#include "agent.h"

/**
 * selftest_run() - look for all that is needed, and print TAP on stdout
 * @opt: the command line
 *
 * Nothing of the guest's trace is consumed and nothing is sent to the host: the
 * way from ring to pipe is tried in a tracefs instance made for it and removed.
 *
 * Return: the number of checks that failed.
 */
int selftest_run(const struct agent_options *opt);

#endif
