// SPDX-License-Identifier: GPL-2.0-only
/* Are guests found by name and path, set up once, and given orders that are seen taken? */
#include "../host/devices.h"
#include "../host/guest.h"
#include "../host/order.h"
#include "peer.h"

static void test_names(void)
{
	char *dir;

	setenv(GUEST_DIR_ENV, "/env", 1);
	dir = guest_dir("/base", "web1");
	ok(dir && !strcmp(dir, "/base/web1"), "a name is looked up in the directory given");
	free(dir);
	dir = guest_dir(NULL, "web1");
	ok(dir && !strcmp(dir, "/env/web1"), "or in the environment's");
	free(dir);
	unsetenv(GUEST_DIR_ENV);
	dir = guest_dir(NULL, "web1");
	ok(dir && !strcmp(dir, "/run/virtio-trace/web1"), "or in the default one");
	free(dir);
	dir = guest_dir("/base", "./x//");
	ok(dir && !strcmp(dir, "./x"), "a path is a path");
	free(dir);
	ok(!guest_dir(NULL, "") && !guest_dir(NULL, ".."), "some names are none");
	ok(!guest_dir(NULL, "a\nb") && !guest_dir(NULL, "./a\033b"), "nor is what is not a line");
	ok(!guest_dir("/a\rb", "web1"), "nor is there such a directory");
}

static void test_open(struct peer *peer)
{
	struct guest guest, other;
	char path[128];

	is(guest_open(peer->dir, "guest", &guest), 0, "a guest is found by name");
	is(guest.ncpus, PEER_CPUS, "with its CPUs");
	ok(guest.cpus[0] == 0 && guest.cpus[1] == 1 && !guest.has_fs, "in order, and no socket");
	is(guest_lock(&guest), 0, "it is locked");
	is(guest_open(NULL, peer->guest, &other), 0, "it is found by path");
	is(guest_lock(&other), -EBUSY, "but not locked twice");
	guest_close(&guest);
	is(guest_lock(&other), 0, "until it is closed");
	is(guest_connect_fs(&other), -ENOENT, "nobody listens");
	guest_close(&other);
	is(guest_open(peer->dir, "nosuch", &guest), -ENOENT, "an unknown guest is not found");

	snprintf(path, sizeof(path), "%s/trace-path-cpu7.out", peer->guest);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	is(guest_open(peer->dir, "guest", &guest), -EINVAL, "a file is no FIFO");
	unlink(path);
	if (symlink("trace-path-cpu0.out", path))
		abort();
	is(guest_open(peer->dir, "guest", &guest), -EINVAL, "nor is a link to one");
	unlink(path);
	snprintf(path, sizeof(path), "%s/trace-path-cpu007.out", peer->guest);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	is(guest_open(peer->dir, "guest", &guest), 0, "a name not ours is passed by");
	guest_close(&guest);
	unlink(path);
}

static void test_setup(struct peer *peer)
{
	struct setup setup = { .dir = peer->guest, .cpus = 3, .uid = -1, .gid = -1 };
	char path[128];

	is(setup_make(&setup), 0, "more CPUs are added");
	is(setup.made, 2, "by two FIFOs");
	is(setup.kept, 6, "the others are kept");
	snprintf(path, sizeof(path), "%s/trace-path-cpu3.in", peer->guest);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	setup.cpus = 4;
	is(setup_make(&setup), -EEXIST, "what is in the way is not removed");
	unlink(path);
}

/* What QEMU does while the agent has the port open. */
static void *take_order(void *arg)
{
	static char order;
	const int *fd = arg;

	poll(NULL, 0, 50);
	return read(*fd, &order, 1) == 1 ? &order : NULL;
}

static void test_order(struct peer *peer)
{
	struct guest guest;
	pthread_t thread;
	char *order;

	if (guest_open(NULL, peer->guest, &guest))
		abort();
	if (pthread_create(&thread, NULL, take_order, &peer->ctl_fd))
		abort();
	is(order_by_fifo(&guest, true, 5000), 0, "an order is taken");
	pthread_join(thread, (void **)&order);
	ok(order && *order == '1', "as it was given");
	is(order_by_fifo(&guest, false, 50), -ETIMEDOUT, "an order nobody takes");
	fcntl(peer->ctl_fd, F_SETFL, O_NONBLOCK);
	ok(read(peer->ctl_fd, peer->dir, 1) < 0, "is withdrawn");
	close(peer->ctl_fd);
	is(order_by_fifo(&guest, true, 50), -ENXIO, "without QEMU there is nobody");
	peer->ctl_fd = peer_open(peer, "agent-ctl-path.in");
	guest_close(&guest);
}

static bool qemu_says(const struct devices *devices, const char *text)
{
	char *all = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&all, &len);
	bool says;

	devices_print_qemu(devices, out);
	fclose(out);
	says = strstr(all, text);
	free(all);
	return says;
}

static void test_devices(void)
{
	struct devices devices = { .dir = "/a,b", .cpus = 40, .fs = true };

	ok(qemu_says(&devices, "-chardev pipe,id=agent-ctl-path,path=/a,,b/agent-ctl-path\n"),
	   "commas are doubled for QEMU");
	ok(qemu_says(&devices, "bus=virtio-trace2.0,nr=12,chardev=trace-path-cpu39,"),
	   "many ports take several devices");
	ok(!qemu_says(&devices, ",nr=16,"), "of 15 ports at most");
	devices.dir = "/it's";
	ok(qemu_says(&devices, "'pipe,id=agent-ctl-path,path=/it'\\''s/agent-ctl-path'\n"),
	   "quotes are quoted");
	devices.fs = false;
	ok(!qemu_says(&devices, "agent-fs-path"), "agent-fs-path may be left out");
}

int main(void)
{
	struct peer peer;

	peer_init(&peer);
	test_names();
	test_open(&peer);
	test_setup(&peer);
	test_order(&peer);
	test_devices();
	peer_exit(&peer);
	return done();
}
