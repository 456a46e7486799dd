// SPDX-License-Identifier: GPL-2.0-only
/*
 * Did every marker arrive, once and in order?
 *
 *   marker-check SUBBUF_SIZE CPU FIRST COUNT < RAW
 *
 * RAW is what a data port of a little-endian 64-bit guest carried. Prints what is wrong
 * and ends with 1, or prints "N markers in M sub-buffers, K events" and ends with 0.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/subbuf.h"

struct check {
	unsigned long cpu, next, end;
	unsigned long subbufs, events;
	u64 last_ts;
};

static int fault(const struct check *c, const char *what, unsigned long long n)
{
	printf("sub-buffer %lu: %s %llu; the next marker wanted was %lu\n", c->subbufs, what, n,
	       c->next);
	return -1;
}

/* A marker is an event whose payload holds "seq CPU N"; others are passed over. */
static int check_event(struct check *c, const struct subbuf_event *event)
{
	unsigned long cpu, n;
	char text[128];
	const char *found;

	c->events++;
	if (event->ts < c->last_ts)
		return fault(c, "time goes backwards at event", c->events);
	c->last_ts = event->ts;
	found = memmem(event->data, event->len, "seq ", 4);
	if (!found)
		return 0;
	snprintf(text, sizeof(text), "%.*s",
		 (int)((const char *)event->data + event->len - found), found);
	if (sscanf(text, "seq %lu %lu", &cpu, &n) != 2)
		return 0;
	if (cpu != c->cpu)
		return fault(c, "marker of another CPU:", cpu);
	if (n != c->next)
		return fault(c, n < c->next ? "repeated marker" : "markers missing before", n);
	c->next++;
	return 0;
}

static int check_subbuf(struct check *c, const struct subbuf_layout *layout, const void *data)
{
	struct subbuf_event event;
	struct subbuf_iter iter;
	int ret;

	if (subbuf_first(layout, data, &iter))
		return fault(c, "bad header; events so far:", c->events);
	while ((ret = subbuf_next(&iter, &event)) > 0)
		if (check_event(c, &event))
			return -1;
	c->subbufs++;
	return ret ? fault(c, "bad event after", c->events) : 0;
}

int main(int argc, char **argv)
{
	struct subbuf_layout layout = { .commit_offset = 8, .commit_size = 8, .data_offset = 16 };
	struct check c = { 0 };
	size_t n = 0;
	char *data;

	if (argc != 5) {
		fprintf(stderr, "usage: marker-check SUBBUF_SIZE CPU FIRST COUNT < RAW\n");
		return 2;
	}
	layout.size = strtoul(argv[1], NULL, 10);
	c.cpu = strtoul(argv[2], NULL, 10);
	c.next = strtoul(argv[3], NULL, 10);
	c.end = c.next + strtoul(argv[4], NULL, 10);
	data = malloc(layout.size);
	while (data && (n = fread(data, 1, layout.size, stdin)) == layout.size)
		if (check_subbuf(&c, &layout, data))
			return 1;
	free(data);
	if (n && fault(&c, "torn sub-buffer of bytes:", n))
		return 1;
	if (c.next != c.end && fault(&c, "markers missing at the end:", c.end - c.next))
		return 1;
	printf("%lu markers in %lu sub-buffers, %lu events\n", c.end - atol(argv[3]), c.subbufs,
	       c.events);
	return 0;
}
