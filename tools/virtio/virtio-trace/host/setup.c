// SPDX-License-Identifier: GPL-2.0-only
/* How does a guest get its directory and FIFOs? */
#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../msg.h"
#include "../opt.h"
#include "cmd.h"
#include "devices.h"
#include "guest.h"

/* A kernel trace tells secrets: nothing for others than owner and group. */
#define SETUP_DIR_MODE 0770
#define SETUP_FIFO_MODE 0660

/**
 * struct setup_options - the command line of setup
 * @dir: -d
 * @cpus: -c
 * @libvirt: --libvirt
 * @qemu: --qemu
 * @no_fs: --no-fs
 * @owner: --owner
 */
struct setup_options {
	const char *dir;
	unsigned int cpus;
	bool libvirt;
	bool qemu;
	bool no_fs;
	const char *owner;
};

static const struct cmd_usage setup_usage = {
	.synopsis = "setup [OPTION]... --cpus N GUEST",
	.help = "Make the directory and FIFOs of a guest, and print what QEMU needs to use them.\n"
		"What is there already is kept. GUEST is a name, or a path with a '/' in it.",
	.min = 1,
	.max = 1,
};

#define AT(field) .offset = offsetof(struct setup_options, field)

static const struct opt setup_table[] = {
	{ 'c', "cpus", "N", "number of CPUs the guest has (needed)", OPT_UINT, AT(cpus),
	  .min = 1, .max = GUEST_CPUS_MAX },
	{ 0, "qemu", NULL, "print arguments for QEMU (the default)", OPT_FLAG, AT(qemu) },
	{ 0, "libvirt", NULL, "print elements for a libvirt domain instead", OPT_FLAG,
	  AT(libvirt) },
	{ 0, "no-fs", NULL, "without agent-fs-path: orders and data only, as in 2012", OPT_FLAG,
	  AT(no_fs) },
	{ 0, "owner", "USER[:GROUP]", "who shall own what is made, e.g. QEMU's user", OPT_STRING,
	  AT(owner) },
	CMD_OPT_DIR(AT(dir)),
	CMD_OPT_HELP,
	{ 0 }
};

static int setup_chown(const struct setup *setup, int dir_fd, const char *name)
{
	if (setup->uid == (uid_t)-1 && setup->gid == (gid_t)-1)
		return 0;
	if (!fchownat(dir_fd, name, setup->uid, setup->gid, AT_SYMLINK_NOFOLLOW))
		return 0;
	return msg_err(errno, "setup: give %s/%s to its owner", setup->dir, name);
}

static int setup_fifo(struct setup *setup, int dir_fd, const char *name)
{
	struct stat st;

	if (!mkfifoat(dir_fd, name, SETUP_FIFO_MODE)) {
		setup->made++;
		/* The umask may have taken the group's rights away. */
		if (fchmodat(dir_fd, name, SETUP_FIFO_MODE, 0))
			return msg_err(errno, "setup: set mode of %s/%s", setup->dir, name);
		return setup_chown(setup, dir_fd, name);
	}
	if (errno != EEXIST)
		return msg_err(errno, "setup: make FIFO %s/%s", setup->dir, name);
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return msg_err(errno, "setup: %s/%s", setup->dir, name);
	if (!S_ISFIFO(st.st_mode)) {
		msg_err(0, "setup: %s/%s: is there and is not a FIFO", setup->dir, name);
		return -EEXIST;
	}
	setup->kept++;
	return 0;
}

static int setup_pair(struct setup *setup, int dir_fd, const char *port)
{
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "%s.in", port);
	ret = setup_fifo(setup, dir_fd, name);
	if (ret)
		return ret;
	snprintf(name, sizeof(name), "%s.out", port);
	return setup_fifo(setup, dir_fd, name);
}

static int setup_fifos(struct setup *setup, int dir_fd)
{
	char port[32];
	int ret;
	u32 cpu;

	ret = setup_pair(setup, dir_fd, GUEST_CTL);
	for (cpu = 0; !ret && cpu < setup->cpus; cpu++) {
		snprintf(port, sizeof(port), GUEST_CPU "%u", cpu);
		ret = setup_pair(setup, dir_fd, port);
	}
	return ret;
}

/* The directory of all guests may be missing as well, e.g. after a boot. */
static int setup_parent(const char *dir)
{
	char *parent = strdup(dir), *slash;
	int ret = 0;

	if (!parent)
		return msg_err(ENOMEM, "setup: %s", dir);
	slash = strrchr(parent, '/');
	if (slash && slash != parent) {
		*slash = '\0';
		if (mkdir(parent, 0755) && errno != EEXIST)
			ret = msg_err(errno, "setup: make directory %s", parent);
	}
	free(parent);
	return ret;
}

static int setup_directory(struct setup *setup)
{
	bool made;
	int fd, ret;

	ret = setup_parent(setup->dir);
	if (ret)
		return ret;
	made = !mkdir(setup->dir, SETUP_DIR_MODE);
	if (!made && errno != EEXIST)
		return msg_err(errno, "setup: make directory %s", setup->dir);
	fd = open(setup->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return msg_err(errno, "setup: open directory %s", setup->dir);
	if (!made)
		return fd;
	if (fchmod(fd, SETUP_DIR_MODE))
		ret = msg_err(errno, "setup: set mode of %s", setup->dir);
	else
		ret = setup_chown(setup, fd, ".");
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int setup_make(struct setup *setup)
{
	int dir_fd, ret;

	dir_fd = setup_directory(setup);
	if (dir_fd < 0)
		return dir_fd;
	ret = setup_fifos(setup, dir_fd);
	close(dir_fd);
	return ret;
}

/* A name in the system's tables, or a number. */
static int setup_owner_id(const char *text, bool group, unsigned int *id)
{
	const struct passwd *pw = group ? NULL : getpwnam(text);
	const struct group *gr = group ? getgrnam(text) : NULL;
	unsigned long number;
	char *end;

	if (pw || gr) {
		*id = pw ? pw->pw_uid : gr->gr_gid;
		return 0;
	}
	errno = 0;
	number = strtoul(text, &end, 10);
	/* The last number of all means "leave it as it is" to chown(). */
	if (*text >= '0' && *text <= '9' && !*end && !errno && number < (uid_t)-1) {
		*id = number;
		return 0;
	}
	msg_err(0, "setup: --owner: no such %s: %s", group ? "group" : "user", text);
	return -EINVAL;
}

static int setup_parse_owner(const char *owner, struct setup *setup)
{
	char *user, *group;
	int ret = 0;

	if (!owner)
		return 0;
	user = strdup(owner);
	if (!user)
		return msg_err(ENOMEM, "setup");
	group = strchr(user, ':');
	if (group)
		*group++ = '\0';
	if (*user)
		ret = setup_owner_id(user, false, &setup->uid);
	if (!ret && group && *group)
		ret = setup_owner_id(group, true, &setup->gid);
	free(user);
	return ret;
}

/* QEMU may run elsewhere: what is printed must not depend on where setup ran. */
static int setup_absolute(char **dir)
{
	char *cwd, *path;
	int ret;

	if (**dir == '/')
		return 0;
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return msg_err(errno, "setup: current directory");
	ret = asprintf(&path, "%s/%s", cwd, *dir);
	free(cwd);
	if (ret < 0)
		return msg_err(ENOMEM, "setup");
	free(*dir);
	*dir = path;
	return 0;
}

static int setup_run(const struct setup_options *options, const char *dir)
{
	struct setup setup = { .dir = dir, .cpus = options->cpus, .uid = -1, .gid = -1 };
	struct devices devices = { .dir = dir, .cpus = options->cpus, .fs = !options->no_fs };

	if (setup_parse_owner(options->owner, &setup))
		return CMD_USAGE;
	if (setup_make(&setup))
		return CMD_FAILED;
	msg_info("%s: %u FIFOs made, %u were there", dir, setup.made, setup.kept);
	if (options->libvirt)
		devices_print_libvirt(&devices, stdout);
	else
		devices_print_qemu(&devices, stdout);
	if (fflush(stdout) || ferror(stdout)) {
		msg_err(errno, "setup: write to standard output");
		return CMD_FAILED;
	}
	return CMD_OK;
}

int cmd_setup(int argc, char **argv)
{
	struct setup_options options = { 0 };
	int ret;
	char *dir;

	ret = cmd_parse(&setup_usage, setup_table, argc, argv, &options);
	if (ret != CMD_GO)
		return ret;
	if (!options.cpus) {
		msg_err(0, "setup: --cpus N is needed");
		return CMD_USAGE;
	}
	if (options.qemu && options.libvirt) {
		msg_err(0, "setup: --qemu and --libvirt exclude each other");
		return CMD_USAGE;
	}
	dir = guest_dir(options.dir, argv[optind]);
	ret = CMD_USAGE;
	if (dir && !setup_absolute(&dir))
		ret = setup_run(&options, dir);
	free(dir);
	return ret;
}
