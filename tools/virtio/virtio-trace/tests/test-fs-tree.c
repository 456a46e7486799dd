// SPDX-License-Identifier: GPL-2.0-only
/* Is each way out of the tree closed by itself? */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "../fs-tree.h"
#include "tap.h"

/* What opening @rel yields in the tree of @dir. */
static int try_open(const char *dir, const char *rel, int flags)
{
	const struct fs_config cfg = { .tracing = dir };
	const struct fs_node node = { .place = FS_TRACING, .rel = rel };
	struct fs_tree tree;
	int fd;

	if (fs_tree_open(&tree, &cfg))
		abort();
	fd = fs_tree_fd(&tree, &node, flags, 0);
	fs_tree_close(&tree);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void make_file(const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		abort();
	fclose(f);
}

static void make_link(const char *to, const char *path)
{
	if (symlink(to, path))
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* The server takes ".." out of a path before; the kernel would refuse it as well. */
static void test_paths(void)
{
	is(try_open("t", "events/enable", O_RDONLY), 0, "what is in the tree opens");
	is(try_open("t", "../secret", O_RDONLY), -EXDEV, ".. does not lead out");
	is(try_open("t", "events/../../secret", O_RDONLY), -EXDEV, "nor from further below");
	is(try_open("t", "/etc/passwd", O_RDONLY), -EXDEV, "nor does an absolute path");
	is(try_open("t", "events/../events/enable", O_RDONLY), 0, "one that stays inside opens");
}

/* O_NOFOLLOW refuses a link at the end of the path; these are on the way. */
static void test_links(void)
{
	is(try_open("t", "inside/enable", O_RDONLY), -ELOOP, "a link is not followed on the way");
	is(try_open("t", "outside/secret", O_RDONLY), -ELOOP, "nor one that leads out");
	is(try_open("t", "absolute/etc/passwd", O_RDONLY), -ELOOP, "nor an absolute one");
	is(try_open("t", "leaf", O_RDONLY), -ELOOP, "nor one at the end");
	is(try_open("t", "leaf", O_PATH), 0, "which can be looked at");
	is(try_open("/proc/self", "cwd/secret", O_RDONLY), -ELOOP, "nor a magic link");
	is(try_open("/proc/self", "fd/0", O_RDONLY), -ELOOP, "or at the end");
}

static void test_mounts(void)
{
	struct statfs fs;

	if (statfs("/proc", &fs) || fs.f_type != 0x9fa0) {
		skip("a mount point is not crossed", "/proc is not one here");
		return;
	}
	is(try_open("/", "proc/version", O_RDONLY), -EXDEV, "a mount point is not crossed");
	is(try_open("/proc", "version", O_RDONLY), 0, "in the tree of the mount it is no way out");
}

int main(void)
{
	char dir[] = "/tmp/test-fs-tree.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) || mkdir("t", 0700) || mkdir("t/events", 0700))
		abort();
	make_file("secret");
	make_file("t/events/enable");
	make_link("events", "t/inside");
	make_link("..", "t/outside");
	make_link("/", "t/absolute");
	make_link("events/enable", "t/leaf");
	test_paths();
	test_links();
	test_mounts();
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return done();
}
