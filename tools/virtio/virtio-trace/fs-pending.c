// SPDX-License-Identifier: GPL-2.0-only
/* Which requests wait for their reply, and what ends the wait? */
#include "fs-pending.h"

#include <errno.h>
#include <sys/epoll.h>

#include "fs-file.h"

/* One event per call: a file that is read no more, or lies, does not keep us awake. */
static int fd_watch(int poll_fd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLONESHOT, .data.fd = fd };

	if (!epoll_ctl(poll_fd, EPOLL_CTL_MOD, fd, &ev))
		return 0;
	if (errno == ENOENT && !epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &ev))
		return 0;
	return -errno;
}

bool fs_pending_is_full(const struct fs_session *s)
{
	return s->pending_count >= FS_PENDING_MAX;
}

int fs_pending_add(struct fs_session *s, const struct fs_pending *p)
{
	if (fs_pending_is_full(s))
		return -ENOBUFS;
	if (!p->is_write && fd_watch(s->poll_fd, p->fid->fd))
		return -EAGAIN;
	s->pending[s->pending_count++] = *p;
	return -EINPROGRESS;
}

static void pending_remove(struct fs_session *s, unsigned int i)
{
	struct fs_pending *p = &s->pending[i];

	s->pending_count--;
	memmove(p, p + 1, (s->pending_count - i) * sizeof(*p));
}

void fs_pending_flush(struct fs_session *s, u16 tag)
{
	unsigned int i;

	for (i = 0; i < s->pending_count; i++) {
		if (s->pending[i].tag == tag) {
			pending_remove(s, i);
			return;
		}
	}
}

void fs_pending_orphan(struct fs_session *s, const struct fs_fid *fid)
{
	struct fs_pending *p;

	for (p = s->pending; p < s->pending + s->pending_count; p++) {
		if (p->fid != fid)
			continue;
		p->fid = NULL;
		p->err = -EINTR;
		p->due = true;
	}
}

void fs_pending_ready(struct fs_session *s, int fd)
{
	struct fs_pending *p;

	for (p = s->pending; p < s->pending + s->pending_count; p++)
		if (!p->is_write && p->fid && p->fid->fd == fd)
			p->due = true;
}

void fs_pending_settle(struct fs_session *s)
{
	struct fs_pending *p;

	for (p = s->pending; p < s->pending + s->pending_count; p++)
		if (p->is_write)
			p->due = true;
}

void fs_pending_retry(struct fs_session *s)
{
	struct fs_pending *p;

	for (p = s->pending; p < s->pending + s->pending_count; p++) {
		if (p->is_write || !p->fid)
			continue;
		fd_watch(s->poll_fd, p->fid->fd);
		p->due = true;
	}
}

bool fs_pending_is_reading(const struct fs_session *s)
{
	const struct fs_pending *p;

	for (p = s->pending; p < s->pending + s->pending_count; p++)
		if (!p->is_write)
			return true;
	return false;
}

bool fs_pending_is_due(const struct fs_session *s)
{
	const struct fs_pending *p;

	for (p = s->pending; p < s->pending + s->pending_count; p++)
		if (p->due)
			return true;
	return false;
}

static int pending_read(struct fs_session *s, const struct fs_pending *p,
			struct p9_fcall *rep, char *data)
{
	ssize_t n = fs_file_read(s, p->fid, p->offset, data, p->count);

	if (n < 0)
		return n == -EAGAIN ? -EINPROGRESS : (int)n;
	rep->type = P9_RREAD;
	rep->data = (struct p9_str){ .s = data, .len = (u32)n };
	return 0;
}

static int pending_try(struct fs_session *s, const struct fs_pending *p,
		       struct p9_fcall *rep, char *data)
{
	*rep = (struct p9_fcall){ .tag = p->tag };
	if (p->err)
		return p->err;
	if (!p->is_write)
		return pending_read(s, p, rep, data);
	rep->type = P9_RWRITE;
	rep->count = p->count;
	return p->fid->file->settle(s->cfg->ctx, p->ticket);
}

int fs_pending_next(struct fs_session *s, struct p9_fcall *rep, char *data)
{
	unsigned int i;
	int err;

	for (i = 0; i < s->pending_count; i++) {
		if (!s->pending[i].due)
			continue;
		s->pending[i].due = false;
		err = pending_try(s, &s->pending[i], rep, data);
		if (err == -EINPROGRESS)
			continue;
		pending_remove(s, i);
		return err;
	}
	return -EINPROGRESS;
}
