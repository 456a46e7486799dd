// SPDX-License-Identifier: GPL-2.0-only
/* Which guests are there, and how are their FIFOs and sockets opened safely? */
#include "guest.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../msg.h"

#define FIFO_OUT ".out"

/* What setup prints, and every message, is one line. */
static bool has_control_character(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			return true;
	return false;
}

static bool guest_name_ok(const char *base, const char *arg)
{
	if (has_control_character(base) || has_control_character(arg)) {
		msg_err(0, "a guest's name and directory can't have control characters");
		return false;
	}
	if (strchr(arg, '/'))
		return true;
	if (*arg && strlen(arg) <= GUEST_NAME_MAX && strcmp(arg, ".") && strcmp(arg, ".."))
		return true;
	msg_err(0, "guest '%s': not a name of 1 to %d characters", arg, GUEST_NAME_MAX);
	return false;
}

char *guest_dir(const char *base, const char *arg)
{
	char *path;
	int len;

	if (!base)
		base = getenv(GUEST_DIR_ENV);
	if (!base || !*base)
		base = GUEST_DIR_DEFAULT;
	if (!guest_name_ok(base, arg))
		return NULL;
	if (strchr(arg, '/'))
		path = strdup(arg);
	else if (asprintf(&path, "%s/%s", base, arg) < 0)
		path = NULL;
	if (!path) {
		msg_err(ENOMEM, "guest %s", arg);
		return NULL;
	}
	for (len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		path[len - 1] = '\0';
	return path;
}

/* "trace-path-cpu12.out" is 12; anything else, leading zeros included, is not one. */
static bool guest_cpu_of(const char *entry, u32 *cpu)
{
	char canonical[sizeof(GUEST_CPU FIFO_OUT) + 10];

	if (strncmp(entry, GUEST_CPU, strlen(GUEST_CPU)))
		return false;
	*cpu = strtoul(entry + strlen(GUEST_CPU), NULL, 10);
	snprintf(canonical, sizeof(canonical), GUEST_CPU "%u" FIFO_OUT, *cpu);
	return !strcmp(entry, canonical);
}

static int guest_check_fifo(const struct guest *guest, const char *name)
{
	struct stat st;

	if (fstatat(guest->dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return msg_err(errno, "guest %s: %s/%s", guest->name, guest->dir, name);
	if (S_ISFIFO(st.st_mode))
		return 0;
	msg_err(0, "guest %s: %s/%s: not a FIFO", guest->name, guest->dir, name);
	return -EINVAL;
}

static int guest_add_cpu(struct guest *guest, u32 cpu)
{
	u32 *cpus;

	if (cpu >= GUEST_CPUS_MAX) {
		msg_err(0, "guest %s: " GUEST_CPU "%u: more than %u CPUs are not supported",
			guest->name, cpu, GUEST_CPUS_MAX);
		return -E2BIG;
	}
	cpus = reallocarray(guest->cpus, guest->ncpus + 1, sizeof(*cpus));
	if (!cpus)
		return msg_err(ENOMEM, "guest %s", guest->name);
	guest->cpus = cpus;
	cpus[guest->ncpus++] = cpu;
	return 0;
}

static int guest_compare_cpu(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int guest_list_cpus(struct guest *guest)
{
	struct dirent *entry;
	int fd, ret = 0;
	DIR *dir;
	u32 cpu;

	fd = openat(guest->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		ret = msg_err(errno, "guest %s: list %s", guest->name, guest->dir);
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (entry = readdir(dir))) {
		if (!guest_cpu_of(entry->d_name, &cpu))
			continue;
		ret = guest_check_fifo(guest, entry->d_name);
		if (!ret)
			ret = guest_add_cpu(guest, cpu);
	}
	closedir(dir);
	if (guest->ncpus)
		qsort(guest->cpus, guest->ncpus, sizeof(*guest->cpus), guest_compare_cpu);
	return ret;
}

static int guest_look(struct guest *guest)
{
	struct stat st;
	int ret;

	ret = guest_check_fifo(guest, GUEST_CTL ".in");
	if (!ret)
		ret = guest_list_cpus(guest);
	if (!ret && !guest->ncpus) {
		msg_err(0, "guest %s: %s has no " GUEST_CPU "N" FIFO_OUT
			"; 'virtio-trace setup %s --cpus N' makes them",
			guest->name, guest->dir, guest->name);
		ret = -ENOENT;
	}
	guest->has_fs = !fstatat(guest->dir_fd, GUEST_FS ".sock", &st, AT_SYMLINK_NOFOLLOW) &&
			S_ISSOCK(st.st_mode);
	return ret;
}

static int guest_open_dir(struct guest *guest)
{
	int err;

	guest->dir_fd = open(guest->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (guest->dir_fd >= 0)
		return 0;
	err = errno;
	if (err != ENOENT)
		return msg_err(err, "guest %s: open directory %s", guest->name, guest->dir);
	msg_err(0, "guest %s: no such directory %s; 'virtio-trace setup %s --cpus N' makes it",
		guest->name, guest->dir, guest->name);
	return -err;
}

int guest_open(const char *base, const char *arg, struct guest *guest)
{
	int ret;

	*guest = (struct guest){ .dir_fd = -1 };
	guest->dir = guest_dir(base, arg);
	if (!guest->dir)
		return -EINVAL;
	guest->name = strdup(arg);
	if (!guest->name) {
		ret = msg_err(ENOMEM, "guest %s", arg);
		goto err_close;
	}
	ret = guest_open_dir(guest);
	if (!ret)
		ret = guest_look(guest);
	if (!ret)
		return 0;
err_close:
	guest_close(guest);
	return ret;
}

void guest_close(struct guest *guest)
{
	if (guest->dir && guest->dir_fd >= 0)
		close(guest->dir_fd);
	free(guest->cpus);
	free(guest->name);
	free(guest->dir);
	*guest = (struct guest){ .dir_fd = -1 };
}

int guest_lock(struct guest *guest)
{
	if (!flock(guest->dir_fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno != EWOULDBLOCK)
		return msg_err(errno, "guest %s: lock %s", guest->name, guest->dir);
	msg_err(0, "guest %s: another virtio-trace is at work with it", guest->name);
	return -EBUSY;
}

int guest_open_ctl(const struct guest *guest)
{
	int err, fd;

	fd = openat(guest->dir_fd, GUEST_CTL ".in",
		    O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0)
		return fd;
	err = errno;
	if (err != ENXIO)
		return msg_err(err, "guest %s: open %s/" GUEST_CTL ".in", guest->name, guest->dir);
	msg_err(0, "guest %s: QEMU is not running: nobody has %s/" GUEST_CTL ".in open",
		guest->name, guest->dir);
	return -err;
}

int guest_open_trace(const struct guest *guest, u32 cpu)
{
	char name[sizeof(GUEST_CPU FIFO_OUT) + 10];
	int fd;

	snprintf(name, sizeof(name), GUEST_CPU "%u" FIFO_OUT, cpu);
	fd = openat(guest->dir_fd, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

int guest_connect_fs(const struct guest *guest)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd, ret;

	/* By way of /proc, so that no directory's path is too long for sun_path. */
	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/" GUEST_FS ".sock",
		 guest->dir_fd);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}
