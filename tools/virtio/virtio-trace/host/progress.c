// SPDX-License-Identifier: GPL-2.0-only
/* How is the recording going? */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

void progress_show(const struct recording *recording)
{
	const struct collector *collector = &recording->collector;
	double seconds = (recording_now_ms() - recording->begin_ms) / 1e3;
	double mib = collector->stored / 1048576.0;
	bool tty = isatty(STDERR_FILENO);

	fprintf(stderr, "%s%7.1f s %9.1f MiB %8.1f MiB/s", tty ? "\033[K" : "", seconds, mib,
		seconds > 0 ? mib / seconds : 0);
	if (recording->client)
		fprintf(stderr, " %12llu events %9llu overwritten", collector->events,
			recording->overwritten);
	if (recording->lost)
		fprintf(stderr, " %9llu bytes lost", recording->lost);
	/* The cursor waits at the line's start: a message may have to replace it. */
	fputs(tty ? "\r" : "\n", stderr);
}

void progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\n", stderr);
}
