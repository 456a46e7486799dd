/* SPDX-License-Identifier: GPL-2.0-only */
/* How much of the agent a host may take over agent-fs-path, in one place. */
#ifndef VIRTIO_TRACE_FS_LIMITS_H
#define VIRTIO_TRACE_FS_LIMITS_H

/*
 * All that can be held at once, but for the message buffer of up to 1 MiB, which
 * is given back after a large message, is less than 700 KiB.
 */
#define FS_FIDS_MAX 2048		/* fids; beyond: ENFILE */
#define FS_PATH_BYTES (192 * 1024)	/* the paths of all fids; beyond: ENOMEM */
#define FS_OPEN_MAX 1024		/* opened ones among them; beyond: EMFILE */
#define FS_SPARE_FILES 1024		/* descriptors left to the rest of the agent */
#define FS_PATH_MAX 1024		/* bytes of a fid's path; beyond: ENAMETOOLONG */
#define FS_PENDING_MAX 64		/* requests that wait; beyond: ENOBUFS */
#define FS_SNAPSHOT_BYTES (128 * 1024)	/* opened files of /agent, together; beyond: ENOMEM */
#define FS_BUFFER_KEEP (64 * 1024)	/* of the message buffer, kept while idle */
#define FS_QUIET_MS 100			/* silence that makes a suspected cut a certain one */
#define FS_RETRY_MS 500			/* between looks at files whose poll() tells too little */

#endif
