// SPDX-License-Identifier: GPL-2.0-only
/* Is a trace.dat valid at every moment, whatever guest, disk and order of arrival are like? */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../host/datread.h"
#include "../host/merge.h"
#include "../host/tracedat.h"
#include "guest-fake.h"
#include "tap.h"

#define CPUS 3
#define PER_SUBBUF 50

static char path[64];

static struct tracedat_info info_for(const struct subbuf_layout *layout, u32 cpus)
{
	return (struct tracedat_info){
		.layout = *layout,
		.long_size = layout->commit_size,
		.cpus = cpus,
		.tracing = "tracing",
		.uname = "Linux fake",
		.trace_id = 1,
	};
}

/* What a reader finds at this moment; -1 when the file is no trace. */
static long events_read(u64 *missed_order)
{
	struct merge_event next;
	struct datread *dr;
	struct merge *m;
	long events = 0;
	u64 last = 0;

	if (datread_open(path, false, &dr))
		return -1;
	if (merge_open(dr, NULL, &m))
		abort();
	for (*missed_order = 0; merge_next(m, &next); events++) {
		*missed_order += next.event.ts < last;
		last = next.event.ts;
	}
	merge_close(m);
	if (dr->damaged)
		events = -2;
	datread_close(dr);
	return events;
}

static u64 file_size(void)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_size;
}

static int publish(const char *name, const struct tracedat_info *info, struct source *src,
		   struct tracedat **dat)
{
	int ret = tracedat_create(name, info, src, dat);

	return ret ? ret : tracedat_publish(*dat);
}

/* Sends each CPU two and a half sub-buffers in odd pieces, and looks on. */
static void test_stream(bool big_endian, u32 long_size, u32 size)
{
	const struct subbuf_layout layout = make_layout(big_endian, long_size, size);
	const struct tracedat_info info = info_for(&layout, CPUS);
	u64 total = 2 * size + layout.data_offset + 16 * 20 + 7, at, len, cut, disorder;
	u8 *stream = calloc(1, 3 * size), back[100];
	struct tracedat *dat;
	struct fake fake;
	struct make m;
	long wrong = 0;
	u32 i, cpu;

	fake_init(&fake, &layout);
	for (i = 0; i < 3; i++) {
		fake_subbuf(&m, &layout, i * 1000000, PER_SUBBUF, i * PER_SUBBUF);
		memcpy(stream + i * size, m.subbuf, size);
		make_free(&m);
	}
	is(publish(path, &info, &fake.src, &dat), 0, "%s endian, long %u, sub-buffers %u",
	   big_endian ? "big" : "little", long_size, size);
	is(events_read(&disorder), 0, "a trace without events");
	for (at = 0; at < total; at += len) {
		len = total - at < 1777 ? total - at : 1777;
		for (cpu = 0; cpu < CPUS - 1; cpu++)
			wrong += tracedat_append(dat, cpu, stream + at, len) != 0;
		if (size == 4096)
			wrong += events_read(&disorder) !=
				 (long)((at + len) / size * PER_SUBBUF * (CPUS - 1));
	}
	is(wrong, 0, "valid after every piece");
	is(tracedat_size(dat, 0), total, "it knows what came");
	is(tracedat_read(dat, 1, size + 5, back, sizeof(back)), 0, "and gives it back");
	ok(!memcmp(back, stream + size + 5, sizeof(back)), "as it was");
	is(tracedat_read(dat, 1, total - 5, back, 6), -EINVAL, "but no more than that");
	is(tracedat_cmdlines(dat, &fake.src), 0, "newer task names");
	is(tracedat_cpustat(dat, 2, "CPU: 2\nentries: 5\n"), 0, "a CPU's counts");
	is(tracedat_close(dat, &cut), 0, "closed");
	is(cut, 2 * 20, "events of unfinished sub-buffers kept");
	is(events_read(&disorder), (2 * PER_SUBBUF + 20) * (CPUS - 1), "all events are there");
	is(disorder, 0, "in order");
	ok(file_size() < 400000 + 7 * (u64)size, "no larger than its contents");
	free(stream);
}

static int create(struct fake *fake, const char *name)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	const struct tracedat_info info = info_for(&layout, 1);
	struct tracedat *dat;
	int ret;

	ret = publish(name, &info, &fake->src, &dat);
	if (!ret)
		tracedat_close(dat, NULL);
	return ret;
}

static void test_bad_guests(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	char *huge = malloc(1100000);
	struct fake fake;
	u64 before;

	fake_init(&fake, &layout);
	is(create(&fake, path), 0, "a trace that will be there before");
	before = file_size();
	memset(huge, 'x', 1099999);
	huge[1099999] = '\0';

	fake.odd_name = "a/b";
	is(create(&fake, path), -EBADMSG, "a name with a slash");
	fake.odd_name = "a\nb";
	is(create(&fake, path), -EBADMSG, "a name with a line end");
	fake.odd_name = "..";
	is(create(&fake, path), -EBADMSG, "a name that leads up");
	fake.odd_name = NULL;
	fake_find(&fake, "tracing/events/test/seq/format")->text = huge;
	is(create(&fake, path), -EFBIG, "a format of more than 1 MiB");
	fake_find(&fake, "tracing/events/test/seq/format")->text = NULL;
	is(create(&fake, path), -EIO, "a format that can't be read");
	fake_init(&fake, &layout);
	fake_find(&fake, "tracing/saved_cmdlines")->text = huge;
	is(create(&fake, path), -EFBIG, "task names of more than 1 MiB");
	fake_init(&fake, &layout);
	fake_find(&fake, "tracing/events/header_page")->path = "gone";
	is(create(&fake, path), -ENOENT, "no header_page");
	is(file_size(), before, "the older trace is as it was");
	free(huge);

	fake_init(&fake, &layout);
	is(create(&fake, "/dev/null"), -EINVAL, "a device is not replaced");
	is(create(&fake, "/tmp"), -EISDIR, "nor a directory");
	is(create(&fake, "/nowhere/x.dat"), -ENOENT, "a directory that is not there");
}

static void test_publish(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	const struct tracedat_info info = info_for(&layout, 1);
	struct tracedat *dat;
	struct fake fake;
	struct make m;
	char part[80];
	u64 disorder;

	snprintf(part, sizeof(part), "%s.part", path);
	fake_init(&fake, &layout);
	fake_subbuf(&m, &layout, 1, PER_SUBBUF, 0);
	is(publish(path, &info, &fake.src, &dat), 0, "an older trace");
	tracedat_append(dat, 0, m.subbuf, layout.size);
	tracedat_close(dat, NULL);

	is(tracedat_create(path, &info, &fake.src, &dat), 0, "a newer one");
	ok(!access(part, F_OK), "has a name of its own");
	is(events_read(&disorder), PER_SUBBUF, "besides the older one");
	is(tracedat_close(dat, NULL), 0, "closed before it is published");
	ok(access(part, F_OK) != 0, "it goes away");
	is(events_read(&disorder), PER_SUBBUF, "and the older one stays");

	is(publish(path, &info, &fake.src, &dat), 0, "published");
	ok(access(part, F_OK) != 0, "it has but one name");
	is(events_read(&disorder), 0, "that of the older one");
	tracedat_close(dat, NULL);
	make_free(&m);
}

/* Files may not grow beyond a limit, as on a full disk. */
static void test_full(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	const struct tracedat_info info = info_for(&layout, 2);
	struct rlimit limit, was;
	struct tracedat *dat;
	struct fake fake;
	struct make m;
	u64 disorder;
	long fits;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	limit = was;
	limit.rlim_cur = 512 * 1024;
	setrlimit(RLIMIT_FSIZE, &limit);
	fake_init(&fake, &layout);
	fake_subbuf(&m, &layout, 1, PER_SUBBUF, 0);
	is(publish(path, &info, &fake.src, &dat), 0, "where files are small");
	for (fits = 0; !tracedat_append(dat, 1, m.subbuf, layout.size); fits++)
		;
	ok(fits > 10, "some fits");
	is(tracedat_append(dat, 1, m.subbuf, layout.size), -EFBIG, "then no more");
	is(events_read(&disorder), fits * PER_SUBBUF, "what fitted is there");
	is(tracedat_close(dat, NULL), 0, "closed");
	is(events_read(&disorder), fits * PER_SUBBUF, "and is still there");
	setrlimit(RLIMIT_FSIZE, &was);
	make_free(&m);
}

/* Large regions take another way down than small ones. */
static void test_large(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 65536);
	const struct tracedat_info info = info_for(&layout, CPUS);
	const u32 count = (65u << 20) / layout.size;
	struct tracedat *dat;
	struct fake fake;
	struct make m;
	u64 disorder;
	u32 i;

	fake_init(&fake, &layout);
	fake_subbuf(&m, &layout, 1, 2, 0);
	is(publish(path, &info, &fake.src, &dat), 0, "a large trace");
	for (i = 0; i < count; i++)
		tracedat_append(dat, 1, m.subbuf, layout.size);
	tracedat_append(dat, 2, m.subbuf, layout.size);
	is(tracedat_close(dat, NULL), 0, "closed");
	is(events_read(&disorder), 2 * (count + 1), "all events are there");
	ok(file_size() < (67ULL << 20), "no larger than its contents");
	make_free(&m);
}

static void test_many(void)
{
	const struct subbuf_layout layout = make_layout(false, 8, 4096);
	struct tracedat_info info = info_for(&layout, TRACEDAT_CPUS_MAX);
	struct tracedat *dat;
	struct fake fake;
	struct make m;
	u64 disorder;
	u32 i;

	fake_init(&fake, &layout);
	fake_subbuf(&m, &layout, 1, 2, 0);
	is(publish(path, &info, &fake.src, &dat), 0, "4096 CPUs");
	for (i = 0; i < info.cpus; i += 5)
		tracedat_append(dat, i, m.subbuf, layout.size);
	is(tracedat_close(dat, NULL), 0, "closed");
	is(events_read(&disorder), 2 * ((info.cpus + 4) / 5), "all events are there");
	info.cpus++;
	is(tracedat_create(path, &info, &fake.src, &dat), -EINVAL, "but not 4097");
	make_free(&m);
}

int main(void)
{
	int fd;

	snprintf(path, sizeof(path), "/tmp/test-tracedat.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	test_stream(false, 8, 4096);
	test_stream(false, 4, 4096);
	test_stream(true, 8, 65536);
	test_stream(true, 4, 16384);
	test_bad_guests();
	test_publish();
	test_full();
	test_large();
	test_many();
	unlink(path);
	return done();
}
