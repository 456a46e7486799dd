/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the relay share with each other and with nobody else. */
#ifndef VIRTIO_TRACE_RELAY_LOCAL_H
#define VIRTIO_TRACE_RELAY_LOCAL_H

#include "relay.h"

/**
 * relay_pin() - bind the calling thread to the relay's CPU
 * @r: the relay
 *
 * An offline CPU is no fault: the thread goes on where it is.
 */
void relay_pin(struct relay *r);

/**
 * relay_open_port() - open the port, or take stdout, and watch it
 * @r: the relay
 *
 * Return: 0, also when it is open; -errno.
 */
int relay_open_port(struct relay *r);

/**
 * relay_close_port() - close the port; harmless on a closed one
 * @r: the relay
 */
void relay_close_port(struct relay *r);

/**
 * relay_keeps_port() - is the port still open?
 * @r: the relay
 *
 * Return: false when it is not, or when its device has gone: then it is closed now.
 */
bool relay_keeps_port(struct relay *r);

/**
 * relay_reclaim_port() - have the driver free what the host has taken
 * @r: the relay, its port open
 */
void relay_reclaim_port(struct relay *r);

/**
 * relay_open_ring() - open the CPU's ring in the instance to ship from
 * @r: the relay, its port open
 *
 * Return: 0, also when it is open; -errno, said on stderr.
 */
int relay_open_ring(struct relay *r);

#endif
