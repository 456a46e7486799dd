// SPDX-License-Identifier: GPL-2.0-only
/* Finding tracefs and reading the few files of it that the agent needs. */
#include "tracefs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include "io.h"
#include "msg.h"

static bool tracefs_is_at(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (u32)fs.f_type == TRACEFS_MAGIC;
}

int tracefs_find(char *path, size_t size)
{
	static const char * const places[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, size, "%s", places[i]);
		if (tracefs_is_at(path))
			return 0;
	}
	snprintf(path, size, "%s", places[0]);
	if (mount("tracefs", path, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
		return msg_err(errno, "mount tracefs on %s", path);
	return 0;
}

int tracefs_dir(const char *tracing, const char *instance, char *path, size_t size)
{
	int len;

	len = snprintf(path, size, "%s%s%s", tracing, *instance ? "/instances/" : "", instance);
	return len < 0 || (size_t)len >= size ? -ENAMETOOLONG : 0;
}

/* "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;" */
ssize_t tracefs_subbuf_size(const char *dir)
{
	unsigned long offset, size;
	char text[1024], *line;
	ssize_t len;

	len = io_read_file(text, sizeof(text), "%s/events/header_page", dir);
	if (len < 0)
		return len;
	line = strstr(text, "char data;");
	if (!line || sscanf(line, "char data; offset:%lu; size:%lu;", &offset, &size) != 2)
		return -EBADMSG;
	return offset + size;
}

/* "1408\n", or "7 (expanded: 1408)\n" before the first use. */
ssize_t tracefs_ring_bytes(const char *dir, unsigned int cpu)
{
	char text[64], *number;
	ssize_t len;

	len = io_read_file(text, sizeof(text), "%s/per_cpu/cpu%u/buffer_size_kb", dir, cpu);
	if (len < 0)
		return len;
	number = strstr(text, "expanded: ");
	return strtoul(number ? number + strlen("expanded: ") : text, NULL, 10) * 1024;
}

int tracefs_stats(const char *dir, unsigned int cpu, struct ring_stats *stats)
{
	const struct {
		const char *key;
		u64 *value;
	} lines[] = {
		{ "entries: ", &stats->entries },
		{ "\noverrun: ", &stats->overrun },
		{ "\ncommit overrun: ", &stats->commit_overrun },
		{ "\ndropped events: ", &stats->dropped },
		{ "\nread events: ", &stats->read },
	};
	const char *found;
	char text[1024];
	ssize_t len;
	size_t i;

	len = io_read_file(text, sizeof(text), "%s/per_cpu/cpu%u/stats", dir, cpu);
	if (len < 0)
		return len;
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		found = strstr(text, lines[i].key);
		if (!found)
			return -EBADMSG;
		*lines[i].value = strtoull(found + strlen(lines[i].key), NULL, 10);
	}
	return 0;
}

/* The clock in use stands in brackets: "[local] global counter". */
static int tracefs_clock_name(const char *dir, char *name, size_t size)
{
	char text[512], *begin, *end;
	ssize_t len;

	len = io_read_file(text, sizeof(text), "%s/trace_clock", dir);
	if (len < 0)
		return len;
	begin = strchr(text, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return -EBADMSG;
	snprintf(name, size, "%.*s", (int)(end - begin - 1), begin + 1);
	return 0;
}

int tracefs_clock(const char *dir, char *name, char *now, size_t size)
{
	static const char key[] = "\nnow ts: ";
	char text[1024], *found;
	ssize_t len;

	len = tracefs_clock_name(dir, name, size);
	if (len < 0)
		return len;
	len = io_read_file(text, sizeof(text), "%s/per_cpu/cpu0/stats", dir);
	if (len < 0)
		return len;
	found = strstr(text, key);
	if (!found)
		return -EBADMSG;
	found += strlen(key);
	found += strspn(found, " ");
	snprintf(now, size, "%.*s", (int)strcspn(found, "\n"), found);
	return 0;
}
