// SPDX-License-Identifier: GPL-2.0-only
/* Can any sub-buffer make the walk leave it, or scan, walk and cut disagree? */
#include <stdlib.h>
#include <string.h>

#include "../host/subbuf.h"

/* libFuzzer looks for this name. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

static u64 events_walk(const struct subbuf_layout *layout, const u8 *subbuf)
{
	struct subbuf_event event;
	struct subbuf_iter iter;
	u64 events = 0, sum = 0;
	u32 i;

	if (subbuf_first(layout, subbuf, &iter))
		return 0;
	for (; subbuf_next(&iter, &event) > 0; events++)
		for (i = 0; i < event.len; i++)
			sum += ((const u8 *)event.data)[i];
	/* The sum is there so that every byte of every event is read. */
	return sum == U64_MAX ? 0 : events;
}

static void subbuf_fuzz(const struct subbuf_layout *layout, u8 *subbuf, u32 len)
{
	struct subbuf_info info;
	u64 events;
	ssize_t cut;

	subbuf_scan(layout, subbuf, &info);
	events = events_walk(layout, subbuf);
	if (events != info.events)
		abort();
	cut = subbuf_cut(layout, subbuf, len);
	if (cut < 0)
		return;
	/* What a cut leaves is a sub-buffer without fault, or was one that had all its data. */
	if (cut > (ssize_t)events && info.bytes)
		abort();
	subbuf_scan(layout, subbuf, &info);
	if (info.events != (u64)cut)
		abort();
}

int fuzz_one(const u8 *data, size_t size)
{
	struct subbuf_layout layout = { .size = SUBBUF_SIZE_MIN, .commit_offset = 8 };
	u8 *subbuf;
	u32 len;

	subbuf_layout_parse((const char *)data, size, false, &layout);
	if (size < 3)
		return 0;
	layout = (struct subbuf_layout){
		.big_endian = data[0] & 1,
		.size = SUBBUF_SIZE_MIN,
		.commit_offset = 8,
		.commit_size = data[0] & 2 ? 8 : 4,
		.data_offset = data[0] & 2 ? 16 : 12,
	};
	len = (data[1] | data[2] << 8) % (SUBBUF_SIZE_MIN + 1);
	data += 3;
	size -= 3;
	subbuf = calloc(1, SUBBUF_SIZE_MIN);
	if (!subbuf)
		return 0;
	memcpy(subbuf, data, size < SUBBUF_SIZE_MIN ? size : SUBBUF_SIZE_MIN);
	subbuf_fuzz(&layout, subbuf, len);
	free(subbuf);
	return 0;
}
