// SPDX-License-Identifier: GPL-2.0-only
/* What does each file of /agent say, and what does writing to it do? */
#include "service.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "io.h"
#include "relay.h"
#include "tracefs.h"
#include "version.h"

static int service_dir(struct agent *agent, char *dir, size_t size)
{
	int ret;

	pthread_mutex_lock(&agent->lock);
	ret = tracefs_dir(agent->tracing, agent->instance, dir, size);
	pthread_mutex_unlock(&agent->lock);
	return ret;
}

static int version_show(void *ctx, FILE *out)
{
	(void)ctx;
	fputs(VIRTIO_TRACE_VERSION "\n", out);
	return 0;
}

static int ctl_show(void *ctx, FILE *out)
{
	struct agent *agent = ctx;

	pthread_mutex_lock(&agent->lock);
	fprintf(out, "%d\n", agent->run);
	pthread_mutex_unlock(&agent->lock);
	return 0;
}

/* All or nothing: an order in the text is obeyed only when every byte of it makes sense. */
static int ctl_store(void *ctx, const char *data, size_t len, u64 *ticket)
{
	const char *text = data, *end = data + len;
	int ret, orders = 0;
	bool run;

	while ((ret = order_next(&text, end, &run)) > 0)
		orders++;
	if (ret < 0 || !orders)
		return -EINVAL;
	for (text = data; order_next(&text, end, &run) > 0;)
		*ticket = agent_order(ctx, run);
	return agent_settled(ctx, *ticket);
}

static int ctl_settle(void *ctx, u64 ticket)
{
	return agent_settled(ctx, ticket);
}

static int instance_show(void *ctx, FILE *out)
{
	struct agent *agent = ctx;

	pthread_mutex_lock(&agent->lock);
	fprintf(out, "%s\n", agent->instance);
	pthread_mutex_unlock(&agent->lock);
	return 0;
}

static int instance_store(void *ctx, const char *data, size_t len, u64 *ticket)
{
	char name[NAME_MAX + 1];

	(void)ticket;
	if (len && data[len - 1] == '\n')
		len--;
	if (len > NAME_MAX || memchr(data, '\0', len))
		return -EINVAL;
	memcpy(name, data, len);
	name[len] = '\0';
	return agent_set_instance(ctx, name);
}

static void cpus_show(FILE *out, const char *which)
{
	char list[4096];

	if (io_read_file(list, sizeof(list), "/sys/devices/system/cpu/%s", which) < 0)
		snprintf(list, sizeof(list), "\n");
	fprintf(out, "cpus_%s=%s", which, list);
}

static int machine_show(void *ctx, FILE *out)
{
	const u16 probe = 1;
	struct utsname u;
	char dir[PATH_MAX];
	ssize_t size;
	int ret;

	ret = service_dir(ctx, dir, sizeof(dir));
	if (ret)
		return ret;
	size = tracefs_subbuf_size(dir);
	if (size < 0)
		return size;
	if (uname(&u))
		return -errno;
	fprintf(out, "sysname=%s\nnodename=%s\nrelease=%s\nversion=%s\nmachine=%s\n",
		u.sysname, u.nodename, u.release, u.version, u.machine);
	fprintf(out, "page_size=%ld\nsubbuf_size=%zd\nlong_size=%zu\nendian=%s\n",
		sysconf(_SC_PAGESIZE), size, sizeof(long),
		*(const u8 *)&probe ? "little" : "big");
	cpus_show(out, "possible");
	cpus_show(out, "online");
	return 0;
}

static u64 clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The trace clock is read first and through a file; the others right after it. */
static int clock_show(void *ctx, FILE *out)
{
	char dir[PATH_MAX], name[64], now[64];
	u64 monotonic, boottime, realtime;
	int ret;

	ret = service_dir(ctx, dir, sizeof(dir));
	if (!ret)
		ret = tracefs_clock(dir, name, now, sizeof(name));
	if (ret)
		return ret;
	monotonic = clock_ns(CLOCK_MONOTONIC);
	boottime = clock_ns(CLOCK_BOOTTIME);
	realtime = clock_ns(CLOCK_REALTIME);
	fprintf(out, "trace_clock=%s\ntrace=%s\nmonotonic=%llu\nboottime=%llu\nrealtime=%llu\n",
		name, now, monotonic, boottime, realtime);
	return 0;
}

static void relay_show(struct agent *agent, const struct relay *r, const char *dir, FILE *out)
{
	struct ring_stats stats;
	struct relay_public pub;
	int ret;

	pthread_mutex_lock(&agent->lock);
	pub = r->pub;
	pthread_mutex_unlock(&agent->lock);
	ret = tracefs_stats(dir, r->cpu, &stats);
	fprintf(out, "cpu%u state=%s subbuf_size=%u", r->cpu, relay_state_name(pub.state),
		pub.subbuf_size);
	ledger_print(&pub.ledger, out);
	/* No counts are better than wrong ones. */
	if (ret) {
		fprintf(out, "\n");
		return;
	}
	fprintf(out, " entries=%llu overrun=%llu commit_overrun=%llu dropped=%llu read=%llu\n",
		stats.entries, stats.overrun, stats.commit_overrun, stats.dropped, stats.read);
}

static int stats_show(void *ctx, FILE *out)
{
	struct agent *agent = ctx;
	char dir[PATH_MAX];
	unsigned int i;
	int ret;

	ret = service_dir(agent, dir, sizeof(dir));
	if (ret)
		return ret;
	pthread_mutex_lock(&agent->lock);
	fprintf(out, "agent order=%d seq=%llu instance=%s\n", agent->run,
		atomic_load(&agent->seq), agent->instance);
	pthread_mutex_unlock(&agent->lock);
	for (i = 0; i < agent->nr_relays; i++)
		relay_show(agent, &agent->relays[i], dir, out);
	return 0;
}

const struct fs_file service_files[] = {
	{ .name = "clock", .show = clock_show },
	{ .name = "ctl", .show = ctl_show, .store = ctl_store, .settle = ctl_settle },
	{ .name = "instance", .show = instance_show, .store = instance_store },
	{ .name = "machine", .show = machine_show },
	{ .name = "stats", .show = stats_show },
	{ .name = "version", .show = version_show },
	{ 0 }
};
