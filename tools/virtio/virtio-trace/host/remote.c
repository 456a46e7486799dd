// SPDX-License-Identifier: GPL-2.0-only
/* What does the agent say of its guest and of itself, and can it be true? */
#include "remote.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../msg.h"
#include "subbuf.h"

#define MACHINE_FILE_MAX 65536
#define STATS_LINE_MAX 1024
#define CPULIST_TEXT_MAX 4096

/**
 * struct key - one key=value that is understood
 * @name: the key
 * @offset: where the value lives
 * @size: room for a text, its NUL included; 0: a number, u64
 * @digits: 32: the number is a u32 there
 */
struct key {
	const char *name;
	size_t offset;
	size_t size;
	int digits;
};

static int value_store(const struct key *key, const char *value, void *to)
{
	char *field = (char *)to + key->offset;
	u64 number;
	char *end;
	size_t i;

	if (key->size) {
		for (i = 0; value[i] && i < key->size - 1; i++)
			field[i] = isprint((unsigned char)value[i]) ? value[i] : '?';
		field[i] = '\0';
		return 0;
	}
	errno = 0;
	number = strtoull(value, &end, 10);
	if (errno || !isdigit((unsigned char)*value) || *end)
		return -EBADMSG;
	if (key->digits == 32 && number > U32_MAX)
		return -EBADMSG;
	if (key->digits == 32)
		*(u32 *)field = number;
	else
		*(u64 *)field = number;
	return 0;
}

/* Takes "key=value" apart; a key that is not in the table is let pass. */
static int pair_store(const struct key *table, char *pair, void *to)
{
	char *value = strchr(pair, '=');

	if (!value)
		return -EBADMSG;
	*value++ = '\0';
	for (; table->name; table++)
		if (!strcmp(table->name, pair))
			return value_store(table, value, to);
	return 0;
}

/* Takes the pairs of a line apart, which single spaces separate. */
static int pairs_store(const struct key *table, char *line, void *to)
{
	char *pair;
	int ret = 0;

	while (!ret && (pair = strsep(&line, " ")))
		if (*pair)
			ret = pair_store(table, pair, to);
	return ret;
}

/**
 * struct machine_text - /agent/machine before its values are checked
 * @m: what needs no more than storing
 * @possible: list of CPUs
 * @online: likewise
 * @endian: "little" or "big"
 */
struct machine_text {
	struct remote_machine m;
	char possible[CPULIST_TEXT_MAX];
	char online[CPULIST_TEXT_MAX];
	char endian[16];
};

#define MACHINE_TEXT(key, field) \
	{ key, offsetof(struct machine_text, field), REMOTE_TEXT_MAX, 0 }

static const struct key machine_keys[] = {
	MACHINE_TEXT("sysname", m.sysname),
	MACHINE_TEXT("nodename", m.nodename),
	MACHINE_TEXT("release", m.release),
	MACHINE_TEXT("version", m.version),
	MACHINE_TEXT("machine", m.machine),
	{ "cpus_online", offsetof(struct machine_text, online), CPULIST_TEXT_MAX, 0 },
	{ "cpus_possible", offsetof(struct machine_text, possible), CPULIST_TEXT_MAX, 0 },
	{ "endian", offsetof(struct machine_text, endian), 16, 0 },
	{ "subbuf_size", offsetof(struct machine_text, m.subbuf_size), 0, 32 },
	{ "long_size", offsetof(struct machine_text, m.long_size), 0, 32 },
	{ 0 }
};

static int machine_check(const struct machine_text *text, struct remote_machine *machine)
{
	struct cpulist possible;
	u32 cpu;

	*machine = text->m;
	machine->big_endian = !strcmp(text->endian, "big");
	if (!machine->big_endian && strcmp(text->endian, "little"))
		return -EBADMSG;
	if (machine->long_size != 4 && machine->long_size != 8)
		return -EBADMSG;
	if (machine->subbuf_size < SUBBUF_SIZE_MIN || machine->subbuf_size > SUBBUF_SIZE_MAX)
		return -EBADMSG;
	if (cpulist_parse(text->online, &machine->online) ||
	    cpulist_parse(text->possible, &possible))
		return -EBADMSG;
	for (cpu = 0; cpu < GUEST_CPUS_MAX; cpu++)
		if (cpulist_has(&possible, cpu))
			machine->cpus = cpu + 1;
	return machine->cpus ? 0 : -EBADMSG;
}

int remote_machine_parse(char *text, struct remote_machine *machine)
{
	struct machine_text raw = { 0 };
	char *line;
	int ret;

	while ((line = strsep(&text, "\n"))) {
		ret = *line ? pair_store(machine_keys, line, &raw) : 0;
		if (ret)
			return ret;
	}
	return machine_check(&raw, machine);
}

int remote_machine_read(struct source *src, struct remote_machine *machine)
{
	char *text;
	int ret;

	ret = source_read_text(src, "agent/machine", MACHINE_FILE_MAX, &text, NULL);
	if (ret)
		return ret;
	ret = remote_machine_parse(text, machine);
	free(text);
	return ret;
}

static const struct key stats_keys[] = {
	{ "order", offsetof(struct remote_stats, order), 0, 32 },
	{ "seq", offsetof(struct remote_stats, seq), 0, 64 },
	{ "instance", offsetof(struct remote_stats, instance), REMOTE_TEXT_MAX, 0 },
	{ 0 }
};

#define CPU_NUMBER(field) { #field, offsetof(struct remote_cpu, field), 0, 64 }

static const struct key cpu_keys[] = {
	{ "state", offsetof(struct remote_cpu, state), 16, 0 },
	CPU_NUMBER(port_bytes),
	CPU_NUMBER(lost_queue),
	CPU_NUMBER(lost_resize),
	CPU_NUMBER(lost_device),
	CPU_NUMBER(stalls),
	CPU_NUMBER(wakeups),
	CPU_NUMBER(entries),
	CPU_NUMBER(overrun),
	CPU_NUMBER(commit_overrun),
	CPU_NUMBER(dropped),
	CPU_NUMBER(read),
	{ 0 }
};

/* "cpu12 key=value ..."; the lines must ascend, which also bounds their number. */
static int stats_add_cpu(struct remote_stats *stats, char *line)
{
	char *name = strsep(&line, " "), *end;
	struct remote_cpu *cpu;
	unsigned long number;

	if (strncmp(name, "cpu", 3) || !isdigit((unsigned char)name[3]) || !line)
		return -EBADMSG;
	number = strtoul(name + 3, &end, 10);
	if (*end || number >= GUEST_CPUS_MAX)
		return -EBADMSG;
	if (stats->ncpus && stats->cpus[stats->ncpus - 1].cpu >= number)
		return -EBADMSG;
	cpu = reallocarray(stats->cpus, stats->ncpus + 1, sizeof(*cpu));
	if (!cpu)
		return -ENOMEM;
	stats->cpus = cpu;
	cpu += stats->ncpus++;
	*cpu = (struct remote_cpu){ .cpu = number };
	return pairs_store(cpu_keys, line, cpu);
}

int remote_stats_parse(char *text, struct remote_stats *stats)
{
	char *line = strsep(&text, "\n");
	int ret = -EBADMSG;

	*stats = (struct remote_stats){ 0 };
	if (!strncmp(line, "agent ", 6))
		ret = pairs_store(stats_keys, line + 6, stats);
	while (!ret && (line = strsep(&text, "\n")))
		ret = *line ? stats_add_cpu(stats, line) : 0;
	if (ret)
		remote_stats_free(stats);
	return ret;
}

int remote_stats_read(struct source *src, struct remote_stats *stats)
{
	char *text;
	int ret;

	*stats = (struct remote_stats){ 0 };
	ret = source_read_text(src, "agent/stats", (size_t)STATS_LINE_MAX * (GUEST_CPUS_MAX + 1),
			       &text, NULL);
	if (ret)
		return ret;
	ret = remote_stats_parse(text, stats);
	free(text);
	return ret;
}

static const struct key ring_keys[] = {
	{ "entries", offsetof(struct remote_cpu, entries), 0, 64 },
	{ "overrun", offsetof(struct remote_cpu, overrun), 0, 64 },
	{ "commit overrun", offsetof(struct remote_cpu, commit_overrun), 0, 64 },
	{ "dropped events", offsetof(struct remote_cpu, dropped), 0, 64 },
	{ "read events", offsetof(struct remote_cpu, read), 0, 64 },
	{ 0 }
};

int remote_ring_parse(char *text, struct remote_cpu *cpu)
{
	char *line, *colon;
	int ret = 0;

	while (!ret && (line = strsep(&text, "\n"))) {
		colon = strstr(line, ": ");
		if (!colon)
			continue;
		memmove(colon + 1, colon + 2, strlen(colon + 2) + 1);
		*colon = '=';
		ret = pair_store(ring_keys, line, cpu);
	}
	return ret;
}

static int stats_compare_cpus(const void *a, const void *b)
{
	const struct remote_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int stats_add_ring(struct remote_stats *stats, struct source *src, const char *tracing,
			  u32 number)
{
	struct remote_cpu cpu = { .cpu = number };
	struct remote_cpu *cpus;
	char *path, *text;
	int ret;

	if (asprintf(&path, "%s/per_cpu/cpu%u/stats", tracing, number) < 0)
		return -ENOMEM;
	ret = source_read_text(src, path, STATS_LINE_MAX, &text, NULL);
	free(path);
	if (ret)
		return ret;
	ret = remote_ring_parse(text, &cpu);
	free(text);
	if (ret)
		return ret;
	cpus = reallocarray(stats->cpus, stats->ncpus + 1, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	stats->cpus = cpus;
	cpus[stats->ncpus++] = cpu;
	return 0;
}

int remote_stats_add_rings(struct source *src, const char *tracing, const struct cpulist *online,
			   struct remote_stats *stats)
{
	const u32 nrelays = stats->ncpus;
	struct remote_stats relays;
	int ret = 0;
	u32 cpu;

	for (cpu = 0; !ret && cpu < GUEST_CPUS_MAX; cpu++) {
		/* What is added moves the array, but its head stays sorted until the end. */
		relays = (struct remote_stats){ .cpus = stats->cpus, .ncpus = nrelays };
		if (cpulist_has(online, cpu) && !remote_stats_cpu(&relays, cpu))
			ret = stats_add_ring(stats, src, tracing, cpu);
	}
	if (stats->ncpus)
		qsort(stats->cpus, stats->ncpus, sizeof(*stats->cpus), stats_compare_cpus);
	return ret;
}

void remote_stats_free(struct remote_stats *stats)
{
	free(stats->cpus);
	stats->cpus = NULL;
	stats->ncpus = 0;
}

static int stats_compare_cpu(const void *key, const void *member)
{
	const u32 *number = key;
	const struct remote_cpu *cpu = member;

	return *number < cpu->cpu ? -1 : *number > cpu->cpu;
}

const struct remote_cpu *remote_stats_cpu(const struct remote_stats *stats, u32 cpu)
{
	if (!stats->ncpus)
		return NULL;
	return bsearch(&cpu, stats->cpus, stats->ncpus, sizeof(*stats->cpus), stats_compare_cpu);
}

int remote_order(struct p9client *client, bool start)
{
	return p9client_write(client, "agent/ctl", start ? "1\n" : "0\n", 2, false);
}

/* Nobody listens on agent-fs-path: because QEMU is away, or has no such port? */
static int remote_no_socket(const struct guest *guest)
{
	int fd = guest_open_ctl(guest);

	if (fd < 0)
		return fd;
	close(fd);
	return -ENODEV;
}

int remote_connect(const struct guest *guest, u32 timeout_ms, struct p9client **client)
{
	int fd, ret;

	fd = guest->has_fs ? guest_connect_fs(guest) : -ENOENT;
	if (fd == -ENOENT || fd == -ECONNREFUSED)
		return remote_no_socket(guest);
	if (fd < 0)
		return msg_err(fd, "guest %s: connect to %s/" GUEST_FS ".sock", guest->name,
			       guest->dir);
	ret = p9client_open(fd, guest->name, timeout_ms, client);
	if (ret == -ETIMEDOUT)
		msg_err(0, "guest %s: " GUEST_FS ": no agent answers: %s", guest->name,
			"is trace-agent running in the guest? Or has another client the socket?");
	else if (ret)
		msg_err(ret, "guest %s: " GUEST_FS ": begin a session", guest->name);
	return ret;
}
