// SPDX-License-Identifier: GPL-2.0-only
/* Can any file break the reader of trace.dat? What it hands to the decoder ends here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../host/datread.h"
#include "../host/merge.h"
#include "../msg.h"

#define EVENTS_MAX 2000

/* libFuzzer looks for this name. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

/* Every byte handed on is looked at: one that is not there would be noticed. */
static u64 seen;

static void bytes_see(const void *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		seen += ((const u8 *)data)[i];
}

/* Nearly every file is a broken one: messages would be all there is to see. */
int msg_err(int err, const char *fmt, ...)
{
	bytes_see(fmt, strlen(fmt));
	return -abs(err);
}

void msg_info(const char *fmt, ...)
{
	bytes_see(fmt, strlen(fmt));
}

/* In the place of decoder.c: the library behind it is not what is tested here. */
int decoder_alloc(const struct subbuf_layout *layout, bool plugins, struct decoder **out)
{
	if (plugins || layout->size < SUBBUF_SIZE_MIN || layout->size > SUBBUF_SIZE_MAX)
		abort();
	*out = malloc(1);
	return *out ? 0 : -1;
}

void decoder_free(struct decoder *dec)
{
	free(dec);
}

int decoder_add_format(struct decoder *dec, const char *system, const char *text)
{
	if (!dec)
		abort();
	bytes_see(system, strlen(system));
	bytes_see(text, strlen(text));
	return 0;
}

int decoder_learn_formats(struct decoder *dec)
{
	return dec ? 0 : -1;
}

int decoder_add_symbols(void *dec, const void *data, size_t len)
{
	bytes_see(data, len);
	return dec ? 0 : -1;
}

int decoder_add_printk(struct decoder *dec, char *text)
{
	bytes_see(text, strlen(text));
	return dec ? 0 : -1;
}

int decoder_add_cmdlines(struct decoder *dec, char *text)
{
	bytes_see(text, strlen(text));
	return dec ? 0 : -1;
}

static void file_fuzz(const char *path)
{
	struct merge_event next;
	struct datread *dr;
	struct merge *m;
	int i;

	if (datread_open(path, false, &dr))
		return;
	if (!merge_open(dr, NULL, &m)) {
		for (i = 0; i < EVENTS_MAX && merge_next(m, &next); i++)
			bytes_see(next.event.data, next.event.len);
		merge_close(m);
	}
	datread_close(dr);
}

int fuzz_one(const u8 *data, size_t size)
{
	char path[64];
	int fd;

	fd = memfd_create("trace.dat", MFD_CLOEXEC);
	if (fd < 0)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size)
		file_fuzz(path);
	close(fd);
	return 0;
}
