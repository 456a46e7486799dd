// SPDX-License-Identifier: GPL-2.0-only
/* Can a guest's texts break what looks at them before libtraceevent does? */
#include <stdlib.h>
#include <string.h>

#include "../host/decoder.h"
#include "../host/guard.h"

/* libFuzzer looks for this name. */
int fuzz_one(const u8 *data, size_t size) __asm__("LLVMFuzzerTestOneInput");

static void text_fuzz(u8 kind, char *text, size_t len)
{
	const struct subbuf_layout layout = { .size = SUBBUF_SIZE_MIN, .commit_size = 8 };
	struct decoder *dec;
	size_t head_len;

	if (kind == 'f') {
		if (guard_format(text, &head_len) != GUARD_NOTHING && head_len > len)
			abort();
		return;
	}
	if (decoder_alloc(&layout, false, &dec))
		abort();
	if (kind == 'p')
		decoder_add_printk(dec, text);
	else if (kind == 'c')
		decoder_add_cmdlines(dec, text);
	else if (!decoder_add_symbols(dec, text, len / 2))
		decoder_add_symbols(dec, text + len / 2, len - len / 2);
	decoder_free(dec);
}

/* The first byte says what the rest is: a format, printk_formats, cmdlines, kallsyms. */
int fuzz_one(const u8 *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	text_fuzz(data[0], text, size - 1);
	free(text);
	return 0;
}
