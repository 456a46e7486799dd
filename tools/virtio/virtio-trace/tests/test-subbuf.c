// SPDX-License-Identifier: GPL-2.0-only
/* Are sub-buffers of every kind counted right, and lying ones refused? */
#include <errno.h>
#include <string.h>

#include "../host/subbuf.h"
#include "subbuf-make.h"
#include "tap.h"

static void test_layout(void)
{
	static const char text[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:65524;\tsigned:0;\n";
	struct subbuf_layout layout;
	char *copy;

	is(subbuf_layout_parse(text, sizeof(text) - 1, true, &layout), 0, "a header_page");
	ok(layout.size == 65536 && layout.commit_size == 4 && layout.commit_offset == 8 &&
	   layout.data_offset == 12 && layout.big_endian, "says what it says");
	is(subbuf_layout_parse(text, 60, false, &layout), -EINVAL, "half of one");
	is(subbuf_layout_parse("", 0, false, &layout), -EINVAL, "nothing");
	copy = strdup(text);
	memcpy(strstr(copy, "65524"), "65525", 5);
	is(subbuf_layout_parse(copy, strlen(copy), false, &layout), -EINVAL, "an odd size");
	memcpy(strstr(copy, "65525"), "00000", 5);
	is(subbuf_layout_parse(copy, strlen(copy), false, &layout), -EINVAL, "no room for data");
	free(copy);
}

/* Four data events among everything else that a kernel writes. */
static void fill(struct make *m, const struct subbuf_layout *layout)
{
	make_begin(m, layout, 1000);
	make_event(m, 10, 3, 1);
	make_padding(m, 5, 12);
	make_long_event(m, 20, 200);
	make_extend(m, 1ULL << 40);
	make_padding(m, 1, 4);
	make_event(m, 1, 28, 3);
	make_stamp(m, 1ULL << 50);
	make_event(m, 0, 1, 4);
	make_extend(m, 12345);
}

static void test_kind(bool big_endian, u32 long_size)
{
	const struct subbuf_layout layout = make_layout(big_endian, long_size, 4096);
	const u64 ts[] = { 1010, 1035, 1036 + (1ULL << 40), 1ULL << 50 };
	struct subbuf_event event;
	struct subbuf_iter iter;
	struct subbuf_info info;
	struct make m;
	u32 i;

	fill(&m, &layout);
	make_end(&m, MAKE_MISSED | MAKE_STORED, 77);
	is(subbuf_scan(&layout, m.subbuf, &info), 0, "%s endian, long of %u bytes",
	   big_endian ? "big" : "little", long_size);
	is(info.events, 4, "four data events");
	is(info.first_ts, 1000, "the header's timestamp");
	is(info.last_ts, 1LL << 50, "the last event's timestamp, not what follows it");
	is(info.bytes, m.pos - layout.data_offset, "the bytes");
	ok(info.missed == 77 && !info.missed_uncounted, "the events missed, counted");

	is(subbuf_first(&layout, m.subbuf, &iter), 0, "a walk");
	for (i = 0; i < 4 && subbuf_next(&iter, &event) == 1; i++)
		is(event.ts, ts[i], "event %u: its time", i);
	is(subbuf_next(&iter, &event), 0, "and no fifth");

	make_commit(&m, (m.pos - layout.data_offset) | MAKE_MISSED);
	subbuf_scan(&layout, m.subbuf, &info);
	ok(!info.missed && info.missed_uncounted, "events missed, not counted");
	make_free(&m);
}

static void test_top_bits(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	const u64 top = 3ULL << 59;
	struct subbuf_info info;
	struct make m;

	make_begin(&m, &layout, top + 500);
	make_stamp(&m, 600);
	make_event(&m, 1, 1, 0);
	make_end(&m, 0, 0);
	subbuf_scan(&layout, m.subbuf, &info);
	is(info.last_ts, (s64)(top + 601), "an absolute time keeps the top bits");
	make_free(&m);

	make_begin(&m, &layout, top + 500);
	make_stamp(&m, 400);
	make_event(&m, 0, 1, 0);
	make_end(&m, 0, 0);
	subbuf_scan(&layout, m.subbuf, &info);
	is(info.last_ts, (s64)(top + (1ULL << 59) + 400), "and carries into them");
	make_free(&m);
}

static int scan_one(struct make *m, u64 *events)
{
	struct subbuf_info info;
	int ret;

	ret = subbuf_scan(&m->layout, m->subbuf, &info);
	*events = info.events;
	make_free(m);
	return ret;
}

static void test_lies(bool big_endian)
{
	const struct subbuf_layout layout = make_layout(big_endian, 8, 4096);
	struct make m;
	u64 events;
	u32 over;

	fill(&m, &layout);
	make_commit(&m, 4081);
	is(scan_one(&m, &events), -EBADMSG, "a commit beyond the sub-buffer");
	fill(&m, &layout);
	make_commit(&m, 0x7ffffff);
	is(scan_one(&m, &events), -EBADMSG, "the largest commit");
	for (over = 0; over <= 4; over++) {
		make_begin(&m, &layout, 0);
		make_event(&m, 0, 1, 0);
		make_head(&m, 29, 0);
		make_commit(&m, layout.size - layout.data_offset + over);
		is(scan_one(&m, &events), over ? -EBADMSG : 0,
		   "a commit %u bytes beyond, all of it padding", over);
	}
	fill(&m, &layout);
	make_commit(&m, 17);
	is(scan_one(&m, &events), -EBADMSG, "a commit in the middle of a header");
	fill(&m, &layout);
	make_commit(&m, 40);
	is(scan_one(&m, &events), -EBADMSG, "a commit in the middle of an event");
	is(events, 1, "with one event before");

	make_begin(&m, &layout, 0);
	make_event(&m, 0, 1, 0);
	make_head(&m, 0, 0);
	make_word(&m, 0);
	make_end(&m, 0, 0);
	is(scan_one(&m, &events), -EBADMSG, "an event without length");
	make_begin(&m, &layout, 0);
	make_head(&m, 0, 0);
	make_word(&m, 0xffffffff);
	make_end(&m, 0, 0);
	is(scan_one(&m, &events), -EBADMSG, "an event as long as can be said");
	make_begin(&m, &layout, 0);
	make_head(&m, 29, 9);
	make_word(&m, 0xfffffffc);
	make_end(&m, 0, 0);
	is(scan_one(&m, &events), -EBADMSG, "padding as long as can be said");
	make_begin(&m, &layout, 0);
	make_event(&m, 0, 1, 0);
	make_head(&m, 29, 0);
	m.pos = layout.size;
	make_end(&m, 0, 0);
	is(scan_one(&m, &events), 0, "padding without time ends the sub-buffer");
	is(events, 1, "with what came before");
	make_begin(&m, &layout, 0);
	make_end(&m, MAKE_MISSED, 0);
	is(scan_one(&m, &events), 0, "an empty sub-buffer");
}

/* Cut after each byte: what is left is a sub-buffer without fault, and loses no whole event. */
static void test_cut(bool big_endian, u32 long_size)
{
	const struct subbuf_layout layout = make_layout(big_endian, long_size, 4096);
	u32 ends[] = { 0, 0, 0, 0 }, i = 0, len, whole;
	struct subbuf_event event;
	struct subbuf_iter iter;
	struct subbuf_info info;
	ssize_t kept, wrong = 0;
	struct make m, part;

	fill(&m, &layout);
	make_end(&m, MAKE_MISSED | MAKE_STORED, 5);
	for (subbuf_first(&layout, m.subbuf, &iter); subbuf_next(&iter, &event) == 1; i++)
		ends[i] = layout.data_offset + iter.pos;
	make_begin(&part, &layout, 0);
	for (len = layout.data_offset; len <= layout.size; len++) {
		memset(part.subbuf, 0xff, layout.size);
		memcpy(part.subbuf, m.subbuf, len);
		kept = subbuf_cut(&layout, part.subbuf, len);
		for (whole = 0; whole < 4 && ends[whole] <= len; whole++)
			;
		wrong += kept != whole || subbuf_scan(&layout, part.subbuf, &info) ||
			 info.events != whole || (info.missed != 5 && !info.missed_uncounted);
	}
	is(wrong, 0, "cut anywhere, whole events stay");
	is(subbuf_cut(&layout, part.subbuf, layout.data_offset - 1), -EBADMSG, "but for no header");
	make_free(&part);
	make_free(&m);
}

int main(void)
{
	test_layout();
	test_kind(false, 8);
	test_kind(false, 4);
	test_kind(true, 8);
	test_kind(true, 4);
	test_top_bits();
	test_lies(false);
	test_lies(true);
	test_cut(false, 8);
	test_cut(true, 4);
	return done();
}
