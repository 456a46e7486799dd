// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the pump keep its account whatever the kernel answers?
 *
 * A regular file stands for the ring: it can be spliced and read as one. The system calls
 * and malloc() of the pump are replaced here, so that the n-th of them can fail.
 */
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../pump.h"

#define SUBBUF 4096
#define SUBBUFS 40

/* What the ring holds: no two sub-buffers are alike, nor what lies within. */
static char ring_data[SUBBUFS * SUBBUF];

static struct {
	unsigned int calls;	/* so far */
	unsigned int fail_at;	/* this one fails; 0: none */
	int err;		/* with this; 0: it returns 0 */
	bool refuse;		/* splice to the port drains the pipe and returns 0 */
	bool nospace;		/* it fails with ENOSPC and leaves the pipe alone */
} inject;

static bool injected(void)
{
	if (++inject.calls != inject.fail_at)
		return false;
	errno = inject.err;
	return true;
}

ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t len, unsigned int flags)
{
	static char sink[1 << 20];

	if (injected())
		return inject.err ? -1 : 0;
	if (inject.refuse && !in_at && fcntl(in, F_GETPIPE_SZ) > 0) {
		while (read(in, sink, len) > 0)
			;
		return 0;
	}
	if (inject.nospace && !in_at && fcntl(in, F_GETPIPE_SZ) > 0) {
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_splice, in, in_at, out, out_at, len, flags);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	if (fd > STDERR_FILENO && injected())
		return inject.err ? -1 : 0;
	return syscall(SYS_write, fd, buf, len);
}

/**
 * struct rig - a pump between a file and a pipe
 * @pump: the pump
 * @port: the pipe
 * @path: the file
 * @next: where in the ring's data what arrives next must lie
 * @wrong: some of it was not what lies there
 */
struct rig {
	struct pump pump;
	int port[2];
	char path[32];
	size_t next;
	bool wrong;
};

static void ring_fill(void)
{
	u32 i, word;

	for (i = 0; i < sizeof(ring_data); i += sizeof(word)) {
		word = i * 2654435761u;
		memcpy(ring_data + i, &word, sizeof(word));
	}
}

static void rig_open(struct rig *r, bool small_port)
{
	int fd;

	memset(&inject, 0, sizeof(inject));
	memset(r, 0, sizeof(*r));
	snprintf(r->path, sizeof(r->path), "/tmp/test-pump.XXXXXX");
	fd = mkstemp(r->path);
	if (fd < 0 || syscall(SYS_write, fd, ring_data, sizeof(ring_data)) != sizeof(ring_data) ||
	    pipe2(r->port, O_NONBLOCK))
		exit(EXIT_FAILURE);
	close(fd);
	fcntl(r->port[1], F_SETPIPE_SZ, small_port ? 65536 : 1 << 20);
	r->pump.out = r->port[1];
	if (pump_init(&r->pump, 1 << 16) || pump_open(&r->pump, r->path, SUBBUF, PUMP_CHAIN_MAX))
		exit(EXIT_FAILURE);
}

static void rig_close(struct rig *r)
{
	pump_exit(&r->pump);
	close(r->port[0]);
	close(r->port[1]);
	unlink(r->path);
}

static u64 balance(const struct pump *p)
{
	u64 on_its_way = p->piped + p->tail_len - p->tail_off;

	return p->ledger.port_bytes + ledger_lost(&p->ledger) + on_its_way;
}

static u64 port_drain(struct rig *r)
{
	static char buf[65536];
	u64 sum = 0;
	ssize_t n;

	while ((n = read(r->port[0], buf, sizeof(buf))) > 0) {
		if (r->next + n > sizeof(ring_data) || memcmp(buf, ring_data + r->next, n))
			r->wrong = true;
		r->next += n;
		sum += n;
	}
	return sum;
}

/* Ships everything the ring holds; what the port refuses is drained and offered again. */
static u64 ship_all(struct rig *r)
{
	u64 arrived = 0;
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		if (pump_send(&r->pump) == -EAGAIN)
			arrived += port_drain(r);
		else if (!pump_busy(&r->pump) && pump_take(&r->pump) <= 0 &&
			 pump_take_partial(&r->pump) <= 0 && tries > 100)
			break;
	}
	return arrived + port_drain(r);
}

static void test_ships(void)
{
	struct rig r;

	rig_open(&r, false);
	is(ship_all(&r), SUBBUFS * SUBBUF, "all of the ring arrives");
	is(r.pump.ledger.ring_bytes, SUBBUFS * SUBBUF, "and was counted");
	is(r.pump.ledger.ring_subbufs, SUBBUFS, "in sub-buffers, too");
	ok(!r.wrong, "and is what was in the ring");
	rig_close(&r);

	rig_open(&r, true);
	is(ship_all(&r), SUBBUFS * SUBBUF, "all of it arrives through a port that is often full");
	ok(!r.wrong, "once and in order");
	rig_close(&r);

	rig_open(&r, false);
	r.pump.copy = true;
	is(ship_all(&r), SUBBUFS * SUBBUF, "all of it arrives by copying");
	ok(!r.wrong, "unchanged");
	rig_close(&r);
}

static void test_refused(void)
{
	struct rig r;
	u32 batch;

	rig_open(&r, false);
	batch = r.pump.batch;
	inject.refuse = true;
	is(pump_take(&r.pump), 65536, "a batch is taken");
	is(pump_send(&r.pump), 0, "a queue that drops it is not an end");
	is(r.pump.ledger.lost[LOSS_QUEUE], 65536, "what was dropped is counted");
	ok(r.pump.batch < batch && r.pump.batch % SUBBUF == 0, "the next batch is smaller");
	rig_close(&r);
}

/* A port that has room and takes nothing must not be fed at full speed. */
static void test_refused_for_long(void)
{
	unsigned int takes = 0;
	struct rig r;

	rig_open(&r, false);
	inject.refuse = true;
	do {
		pump_take(&r.pump);
		takes++;
	} while (!pump_send(&r.pump) && takes < 100);
	is(takes, PUMP_REFUSALS_MAX + 1, "a queue that goes on dropping is waited for");
	is(r.pump.ledger.lost[LOSS_QUEUE], r.pump.ledger.ring_bytes, "what it dropped is counted");
	inject.refuse = false;
	r.next = r.pump.ledger.ring_bytes;
	is(ship_all(&r), SUBBUFS * SUBBUF - r.pump.ledger.lost[LOSS_QUEUE],
	   "all that follows arrives when it is over");
	ok(!r.wrong, "unchanged");
	is(r.pump.refusals, 0, "and it counts from the beginning");
	rig_close(&r);
}

static void test_no_space(void)
{
	struct rig r;

	rig_open(&r, false);
	inject.nospace = true;
	pump_take(&r.pump);
	is(pump_send(&r.pump), -EAGAIN, "a queue that is full after all is waited for");
	is(ledger_lost(&r.pump.ledger), 0, "nothing is lost when it has left the pipe alone");
	inject.nospace = false;
	is(ship_all(&r), SUBBUFS * SUBBUF, "and all of it arrives");
	ok(!r.wrong, "in order");
	rig_close(&r);
}

static void test_abandon(void)
{
	struct rig r;

	rig_open(&r, false);
	pump_take(&r.pump);
	r.next = 65536;
	is(pump_abandon(&r.pump, LOSS_DEVICE), 0, "what is on its way can be given up");
	is(r.pump.ledger.lost[LOSS_DEVICE], 65536, "and is counted");
	ok(!pump_busy(&r.pump), "nothing is left on its way");
	is(ship_all(&r), (SUBBUFS - 16) * SUBBUF, "what follows arrives");
	ok(!r.wrong, "unchanged");
	rig_close(&r);
}

/* The size the pump was opened with is not the ring's. */
static void test_resized(void)
{
	struct rig r;

	rig_open(&r, false);
	is(truncate(r.path, SUBBUF + 100), 0, "a ring that ends in the middle");
	is(pump_take(&r.pump), -ESTALE, "splice: a torn sub-buffer tells of a change");
	is(balance(&r.pump), r.pump.ledger.ring_bytes, "and is accounted for");
	rig_close(&r);

	rig_open(&r, false);
	is(pump_take_partial(&r.pump), -ESTALE, "read: more than a sub-buffer tells of a change");
	is(r.pump.ledger.lost[LOSS_RESIZE], 2 * SUBBUF, "and what was read is counted");
	rig_close(&r);
}

static void test_faults(int err)
{
	const char *name = err ? strerror(err) : "0";
	unsigned int n, calls = 1, unbalanced = 0, stuck = 0;
	struct rig r;

	for (n = 1; n <= calls && n < 200; n++) {
		rig_open(&r, true);
		inject.fail_at = n;
		inject.err = err;
		ship_all(&r);
		calls = inject.calls;
		unbalanced += balance(&r.pump) != r.pump.ledger.ring_bytes;
		stuck += pump_busy(&r.pump) && (err == EINTR || err == EAGAIN || err == ENOMEM);
		rig_close(&r);
	}
	ok(n > 10, "%s: tried on %u calls", name, n - 1);
	is(unbalanced, 0, "%s: the account is right whichever call fails", name);
	is(stuck, 0, "%s: a passing fault stops nothing", name);
}

int main(void)
{
	static const int errs[] = { EINTR, EAGAIN, ENOMEM, ENODEV, EIO, EPIPE, 0 };
	size_t i;

	ring_fill();
	test_ships();
	test_refused();
	test_refused_for_long();
	test_no_space();
	test_abandon();
	test_resized();
	for (i = 0; i < ARRAY_SIZE(errs); i++)
		test_faults(errs[i]);
	return done();
}
