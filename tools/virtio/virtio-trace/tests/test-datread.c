// SPDX-License-Identifier: GPL-2.0-only
/* Are traces read in order and with bounds, and broken ones refused or read around? */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../host/datread.h"
#include "../host/merge.h"
#include "../host/tracedat.h"
#include "guest-fake.h"
#include "tap.h"

static char path[64];

/* A trace of @cpus CPUs with @subbufs sub-buffers each, their events interleaved in time. */
static void trace_make(const struct subbuf_layout *layout, u32 cpus, u32 subbufs, u32 events)
{
	const struct tracedat_info info = {
		.layout = *layout,
		.long_size = layout->commit_size,
		.cpus = cpus,
		.tracing = "tracing",
	};
	struct tracedat *dat;
	struct fake fake;
	struct make m;
	u32 cpu, i;

	fake_init(&fake, layout);
	if (tracedat_create(path, &info, &fake.src, &dat) || tracedat_publish(dat))
		abort();
	for (cpu = 0; cpu < cpus; cpu++)
		for (i = 0; i < subbufs; i++) {
			fake_subbuf(&m, layout, i * 1000 * events + cpu, events, i * events);
			tracedat_append(dat, cpu, m.subbuf, layout->size);
			make_free(&m);
		}
	if (tracedat_close(dat, NULL))
		abort();
}

static long events_count(struct datread *dr, u64 *disorder)
{
	struct merge_event next;
	struct merge *m;
	long events = 0;
	u64 last = 0;

	if (merge_open(dr, NULL, &m))
		abort();
	for (*disorder = 0; merge_next(m, &next); events++) {
		*disorder += next.event.ts < last;
		last = next.event.ts;
	}
	merge_close(m);
	return events;
}

static void file_poke(u64 at, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || pwrite(fd, bytes, len, at) != (ssize_t)len)
		abort();
	close(fd);
}

static void test_text(bool big_endian)
{
	static const char line[] =
		"          worker-12    [001]     0.000001: seq:                  number=0";
	const struct subbuf_layout layout = make_layout(big_endian, 8, 4096);
	const struct decoder_style style = { .ts_is_ns = true };
	struct merge_event next;
	struct datread *dr;
	struct merge *m;
	const char *text;
	size_t len;

	trace_make(&layout, 2, 1, 3);
	is(datread_open(path, false, &dr), 0, "a trace, %s endian", big_endian ? "big" : "little");
	ok(!strcmp(dr->clock, "mono") && dr->ts_is_ns, "its clock");
	merge_open(dr, NULL, &m);
	merge_next(m, &next);
	merge_next(m, &next);
	text = decoder_text(dr->decoder, &style, next.cpu, &next.event, &len);
	ok(!strncmp(text, line, len), "its second event: %.*s", (int)len, text);
	merge_close(m);
	is(decoder_select(dr->decoder, "t?st:*"), 1, "events are chosen by pattern");
	is(decoder_select(dr->decoder, "other"), 0, "or not found");
	datread_close(dr);
}

/* More CPUs than the pool of sub-buffers has room for. */
static void test_pool(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 1 << 20);
	struct datread *dr;
	u64 disorder;

	trace_make(&layout, 20, 2, 40);
	datread_open(path, false, &dr);
	is(events_count(dr, &disorder), 20 * 2 * 40, "20 CPUs of 1 MiB each");
	is(disorder, 0, "in order");
	ok(!dr->damaged, "without a fault");
	datread_close(dr);
}

static void test_bad_subbuf(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	struct datread *dr;
	u64 disorder, at;

	trace_make(&layout, 2, 3, 10);
	datread_open(path, false, &dr);
	at = dr->cpu[1].offset + layout.size;
	datread_close(dr);
	file_poke(at + 8, "\xff\xff\xff\x07", 4);
	is(datread_open(path, false, &dr), 0, "a commit field that lies");
	is(events_count(dr, &disorder), 50, "costs the events of its sub-buffer alone");
	ok(dr->damaged, "and is told");
	datread_close(dr);
}

static void test_short(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	u64 disorder, first;
	struct datread *dr;
	struct stat st;
	long opened = 0, failed = 0, len;

	trace_make(&layout, 2, 1, 10);
	datread_open(path, false, &dr);
	first = dr->cpu[0].offset;
	datread_close(dr);
	stat(path, &st);
	if (truncate(path, first + layout.size + 16 + 5 * 16))
		abort();
	is(datread_open(path, false, &dr), 0, "a file without its end");
	is(events_count(dr, &disorder), 15, "is read as far as it goes");
	ok(dr->damaged, "and is told");
	datread_close(dr);
	for (len = st.st_size; len >= 0; len -= len > 4000 ? 4001 : 61) {
		if (truncate(path, len))
			abort();
		if (!datread_open(path, false, &dr)) {
			events_count(dr, &disorder);
			opened++;
			datread_close(dr);
		} else {
			failed++;
		}
	}
	ok(opened && failed, "a file of any length is read or refused");
}

static void test_foreign(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	struct datread *dr;

	trace_make(&layout, 1, 1, 1);
	file_poke(10, "7", 1);
	is(datread_open(path, false, &dr), -ENOTSUP, "version 7 is trace-cmd's");
	file_poke(0, "ELF", 3);
	is(datread_open(path, false, &dr), -EBADMSG, "this is no trace");
	is(datread_open("/nowhere/x", false, &dr), -ENOENT, "nor is this");
	is(datread_open("/dev/zero", false, &dr), -EINVAL, "nor is a device");
}

int main(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/test-datread.XXXXXX");
	fd = mkstemp(path);
	/* Broken files are told on stderr, thousands of them here. */
	if (fd < 0 || !freopen("/dev/null", "w", stderr))
		return EXIT_FAILURE;
	close(fd);
	test_text(false);
	test_text(true);
	test_pool();
	test_bad_subbuf();
	test_short();
	test_foreign();
	unlink(path);
	return done();
}
