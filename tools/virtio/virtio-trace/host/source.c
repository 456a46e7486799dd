// SPDX-License-Identifier: GPL-2.0-only
/* How files of a guest are read whole and listed, and how a local directory stands in for one. */
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRACING "tracing"
#define KALLSYMS "kallsyms"
#define PIECE 16384

struct text {
	char *data;
	size_t len, room, max;
};

static int text_add(void *to, const void *data, size_t len)
{
	struct text *text = to;
	size_t room = text->room;
	char *grown;

	if (len > text->max - text->len)
		return -EFBIG;
	while (room < text->len + len + 1)
		room = room ? 2 * room : 4096;
	if (room != text->room) {
		grown = realloc(text->data, room);
		if (!grown)
			return -ENOMEM;
		text->data = grown;
		text->room = room;
	}
	memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
	return 0;
}

int source_read_text(struct source *src, const char *path, size_t max, char **text, size_t *len)
{
	struct text all = { .max = max };
	int ret;

	ret = src->read(src, path, text_add, &all);
	/* An empty file is a text too. */
	if (!ret)
		ret = text_add(&all, "", 0);
	if (ret) {
		free(all.data);
		return ret;
	}
	*text = all.data;
	if (len)
		*len = all.len;
	return 0;
}

struct names {
	char **name;
	unsigned int count, max;
};

static bool name_is_sane(const char *name)
{
	const char *at;

	for (at = name; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f || *at == '/')
			return false;
	return at != name && at - name <= NAME_MAX && strcmp(name, ".") && strcmp(name, "..");
}

static int names_add(void *to, const char *name, bool is_dir)
{
	struct names *names = to;
	char **grown;

	if (!is_dir)
		return 0;
	if (!name_is_sane(name))
		return -EBADMSG;
	if (names->count == names->max)
		return -E2BIG;
	grown = realloc(names->name, (names->count + 2) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	names->name = grown;
	grown[names->count] = strdup(name);
	if (!grown[names->count])
		return -ENOMEM;
	grown[++names->count] = NULL;
	return 0;
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

int source_list_dirs(struct source *src, const char *path, unsigned int max, char ***names)
{
	struct names all = { .max = max };
	int ret;

	all.name = calloc(1, sizeof(*all.name));
	if (!all.name)
		return -ENOMEM;
	ret = src->list(src, path, names_add, &all);
	if (ret) {
		source_free_names(all.name);
		return ret;
	}
	qsort(all.name, all.count, sizeof(*all.name), names_compare);
	*names = all.name;
	return 0;
}

void source_free_names(char **names)
{
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

struct source_dir {
	struct source src;
	int dir;
	int kallsyms;
	bool has_tracing;
};

/* Opens for reading; what may block or never end, a FIFO for one, is refused. */
static int open_at(int dir, const char *path, int flags)
{
	struct stat st;
	int fd, ret;

	fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return fd;
	ret = -EINVAL;
	close(fd);
	return ret;
}

static int source_dir_open(struct source_dir *sd, const char *path, int flags)
{
	if (!strcmp(path, KALLSYMS) && sd->kallsyms >= 0)
		return fcntl(sd->kallsyms, F_DUPFD_CLOEXEC, 0);
	if (!sd->has_tracing && !strncmp(path, TRACING "/", strlen(TRACING "/")))
		path += strlen(TRACING "/");
	else if (!sd->has_tracing && !strcmp(path, TRACING))
		path = ".";
	return open_at(sd->dir, path, flags);
}

static int source_dir_read(struct source *src, const char *path,
			   int (*sink)(void *to, const void *data, size_t len), void *to)
{
	char piece[PIECE];
	off_t at = 0;
	ssize_t len;
	int fd, ret = 0;

	fd = source_dir_open((struct source_dir *)src, path, 0);
	if (fd < 0)
		return fd;
	while (!ret) {
		len = pread(fd, piece, sizeof(piece), at);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			ret = -errno;
		if (len <= 0)
			break;
		at += len;
		ret = sink(to, piece, len);
	}
	close(fd);
	return ret;
}

static bool entry_is_dir(DIR *dir, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)
		return entry->d_type == DT_DIR;
	return !fstatat(dirfd(dir), entry->d_name, &st, 0) && S_ISDIR(st.st_mode);
}

static int source_dir_list(struct source *src, const char *path,
			   int (*name)(void *to, const char *entry, bool is_dir), void *to)
{
	struct dirent *entry;
	int fd, ret = 0;
	DIR *dir;

	fd = source_dir_open((struct source_dir *)src, path, O_DIRECTORY);
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		ret = -errno;
		close(fd);
		return ret;
	}
	while (!ret && (errno = 0, entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			ret = name(to, entry->d_name, entry_is_dir(dir, entry));
	if (!ret && !entry)
		ret = -errno;
	closedir(dir);
	return ret;
}

int source_open_dir(const char *path, const char *kallsyms, struct source **src)
{
	struct source_dir *sd;
	int ret;

	sd = calloc(1, sizeof(*sd));
	if (!sd)
		return -ENOMEM;
	sd->src = (struct source){ .read = source_dir_read, .list = source_dir_list };
	sd->kallsyms = -1;
	sd->dir = open_at(AT_FDCWD, path, O_DIRECTORY);
	if (sd->dir < 0) {
		ret = sd->dir;
		goto err_free;
	}
	sd->has_tracing = !faccessat(sd->dir, TRACING, F_OK, 0);
	if (kallsyms) {
		sd->kallsyms = open_at(AT_FDCWD, kallsyms, 0);
		if (sd->kallsyms < 0) {
			ret = sd->kallsyms;
			goto err_close_dir;
		}
	}
	*src = &sd->src;
	return 0;

err_close_dir:
	close(sd->dir);
err_free:
	free(sd);
	return ret;
}

void source_close_dir(struct source *src)
{
	struct source_dir *sd = (struct source_dir *)src;

	if (!sd)
		return;
	if (sd->kallsyms >= 0)
		close(sd->kallsyms);
	close(sd->dir);
	free(sd);
}
