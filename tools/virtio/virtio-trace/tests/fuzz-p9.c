// SPDX-License-Identifier: GPL-2.0-only
/* Does any byte string break the 9P codec, or come back as other bytes? */
#include <stdlib.h>
#include <string.h>

#include "../p9.h"

/* libFuzzer looks for this name. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

static void message_fuzz(const u8 *data, size_t size)
{
	struct p9_fcall fc;
	u8 *copy;

	if (p9_decode(data, size, &fc))
		return;
	copy = malloc(size);
	if (!copy)
		return;
	if (p9_encode(&fc, copy, size) != (int)size || memcmp(copy, data, size))
		abort();
	free(copy);
}

static void dirents_fuzz(const u8 *data, size_t size)
{
	struct p9_dirent de;
	u8 copy[1024];
	int len;

	while (size) {
		len = p9_get_dirent(data, size, &de);
		if (len < 0)
			return;
		if (len <= (int)sizeof(copy) &&
		    (p9_put_dirent(copy, sizeof(copy), &de) != len || memcmp(copy, data, len)))
			abort();
		data += len;
		size -= len;
	}
}

int fuzz_one(const u8 *data, size_t size)
{
	message_fuzz(data, size);
	dirents_fuzz(data, size);
	return 0;
}
