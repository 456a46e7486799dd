// SPDX-License-Identifier: GPL-2.0-only
/* How are a guest's files read, listed and written over 9P? */
#include "p9client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One fid besides the root does: a file is closed before the next one is opened. */
#define FID_FILE 1

static struct p9client *client_of(struct source *src)
{
	return (struct p9client *)((char *)src - offsetof(struct p9client, source));
}

static void client_clunk(struct p9client *client)
{
	struct p9_fcall request = { .type = P9_TCLUNK, .fid = FID_FILE };
	struct p9_fcall reply;

	p9session_rpc(&client->session, &request, &reply);
}

/* Cuts a path at its slashes; empty parts are left out. */
static int path_split(const char *path, struct p9_str *names, u16 *count)
{
	size_t len;

	for (*count = 0; *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			break;
		if (*count == P9_WALK_MAX || len > P9_NAME_MAX)
			return -ENAMETOOLONG;
		names[(*count)++] = (struct p9_str){ .s = path, .len = len };
	}
	return 0;
}

/* Makes FID_FILE stand for @path, its last @leave parts left out; those go to @last. */
static int client_walk(struct p9client *client, const char *path, u16 leave, struct p9_str *last)
{
	struct p9_fcall request = { .type = P9_TWALK, .fid = P9SESSION_ROOT, .newfid = FID_FILE };
	struct p9_fcall reply;
	int ret;

	ret = path_split(path, request.wname, &request.nwalk);
	if (ret)
		return ret;
	if (request.nwalk < leave)
		return -EINVAL;
	request.nwalk -= leave;
	if (leave)
		*last = request.wname[request.nwalk];
	ret = p9session_rpc(&client->session, &request, &reply);
	if (!ret && reply.nwalk < request.nwalk)
		ret = -ENOENT;
	return ret;
}

static int client_open_file(struct p9client *client, const char *path, u32 flags)
{
	struct p9_fcall request = { .type = P9_TLOPEN, .fid = FID_FILE, .flags = flags };
	struct p9_fcall reply;
	int ret;

	ret = client_walk(client, path, 0, NULL);
	if (ret)
		return ret;
	ret = p9session_rpc(&client->session, &request, &reply);
	if (ret)
		client_clunk(client);
	return ret;
}

static int client_read(struct source *src, const char *path,
		       int (*sink)(void *to, const void *data, size_t len), void *to)
{
	struct p9client *client = client_of(src);
	struct p9_fcall request = { .type = P9_TREAD, .fid = FID_FILE };
	struct p9_fcall reply;
	int ret;

	ret = client_open_file(client, path, P9_OPEN_RDONLY);
	if (ret)
		return ret;
	request.count = client->session.msize - P9_IO_OVERHEAD;
	do {
		ret = p9session_rpc(&client->session, &request, &reply);
		if (ret || !reply.data.len)
			break;
		request.offset += reply.data.len;
		ret = sink(to, reply.data.s, reply.data.len);
	} while (!ret);
	client_clunk(client);
	return ret;
}

/**
 * struct name_list - a directory's entries: a type, 'd' or '-', and the name with its NUL
 * @text: them all
 * @len: length in bytes
 */
struct name_list {
	char *text;
	size_t len;
};

static int name_list_add(struct name_list *list, const struct p9_dirent *entry)
{
	size_t more = entry->name.len + 2;
	char *text;

	if (p9_str_is(entry->name, ".") || p9_str_is(entry->name, ".."))
		return 0;
	if (list->len + more > P9CLIENT_LIST_MAX)
		return -EFBIG;
	text = realloc(list->text, list->len + more);
	if (!text)
		return -ENOMEM;
	list->text = text;
	text += list->len;
	text[0] = entry->qid.type & P9_QID_DIR ? 'd' : '-';
	memcpy(text + 1, entry->name.s, entry->name.len);
	text[more - 1] = '\0';
	list->len += more;
	return 0;
}

static int name_list_add_all(struct name_list *list, struct p9_str data, u64 *offset)
{
	struct p9_dirent entry;
	int used, ret;

	while (data.len) {
		used = p9_get_dirent(data.s, data.len, &entry);
		if (used <= 0)
			return -EBADMSG;
		ret = name_list_add(list, &entry);
		if (ret)
			return ret;
		*offset = entry.offset;
		data.s += used;
		data.len -= used;
	}
	return 0;
}

static int client_collect_names(struct p9client *client, struct name_list *list)
{
	struct p9_fcall request = { .type = P9_TREADDIR, .fid = FID_FILE };
	struct p9_fcall reply;
	u64 offset = 0, bytes = 0;
	int ret;

	request.count = client->session.msize - P9_IO_OVERHEAD;
	for (;;) {
		request.offset = offset;
		ret = p9session_rpc(&client->session, &request, &reply);
		if (ret || !reply.data.len)
			return ret;
		/* Offsets may lead in circles; the sum of what came does not lie. */
		bytes += reply.data.len;
		if (bytes > 16 * (u64)P9CLIENT_LIST_MAX)
			return -EFBIG;
		ret = name_list_add_all(list, reply.data, &offset);
		if (ret)
			return ret;
	}
}

static int client_list(struct source *src, const char *path,
		       int (*name)(void *to, const char *entry, bool is_dir), void *to)
{
	struct p9client *client = client_of(src);
	struct name_list list = { 0 };
	size_t pos;
	int ret;

	ret = client_open_file(client, path, P9_OPEN_RDONLY | P9_OPEN_DIRECTORY);
	if (ret)
		return ret;
	ret = client_collect_names(client, &list);
	client_clunk(client);
	for (pos = 0; !ret && pos < list.len; pos += strlen(list.text + pos) + 1)
		ret = name(to, list.text + pos + 1, list.text[pos] == 'd');
	free(list.text);
	return ret;
}

int p9client_write(struct p9client *client, const char *path, const char *data, size_t len,
		   bool truncate)
{
	struct p9_fcall request = {
		.type = P9_TWRITE, .fid = FID_FILE, .data = { .s = data, .len = len },
	};
	struct p9_fcall reply;
	int ret;

	ret = client_open_file(client, path, P9_OPEN_WRONLY | (truncate ? P9_OPEN_TRUNC : 0));
	if (ret)
		return ret;
	ret = p9session_rpc(&client->session, &request, &reply);
	client_clunk(client);
	if (!ret && reply.count < len)
		ret = -EIO;
	return ret;
}

int p9client_mkdir(struct p9client *client, const char *path)
{
	struct p9_fcall request = { .type = P9_TMKDIR, .fid = FID_FILE };
	struct p9_fcall reply;
	int ret;

	request.attr.mode = 0755;
	ret = client_walk(client, path, 1, &request.name);
	if (ret)
		return ret;
	ret = p9session_rpc(&client->session, &request, &reply);
	client_clunk(client);
	return ret;
}

int p9client_rmdir(struct p9client *client, const char *path)
{
	struct p9_fcall request = {
		.type = P9_TUNLINKAT, .fid = FID_FILE, .flags = P9_UNLINK_DIR,
	};
	struct p9_fcall reply;
	int ret;

	ret = client_walk(client, path, 1, &request.name);
	if (ret)
		return ret;
	ret = p9session_rpc(&client->session, &request, &reply);
	client_clunk(client);
	return ret;
}

int p9client_open(int fd, const char *name, u32 timeout_ms, struct p9client **out)
{
	struct p9client *client = calloc(1, sizeof(*client));
	int ret;

	if (!client) {
		close(fd);
		return -ENOMEM;
	}
	client->source = (struct source){ .read = client_read, .list = client_list };
	ret = p9session_open(&client->session, fd, name, timeout_ms);
	if (ret) {
		free(client);
		return ret;
	}
	*out = client;
	return 0;
}

void p9client_close(struct p9client *client)
{
	if (!client)
		return;
	p9session_close(&client->session);
	free(client);
}
