// SPDX-License-Identifier: GPL-2.0-only
/* One client's session: what does each request do? */
#include "fs-session.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "fs-file.h"
#include "fs-pending.h"

int fs_session_open(struct fs_session *s, const struct fs_config *cfg, int poll_fd)
{
	memset(s, 0, sizeof(*s));
	s->cfg = cfg;
	s->poll_fd = poll_fd;
	return fs_tree_open(&s->tree, cfg);
}

void fs_session_close(struct fs_session *s)
{
	fs_session_reset(s);
	fs_tree_close(&s->tree);
}

void fs_session_reset(struct fs_session *s)
{
	s->pending_count = 0;
	s->msize = 0;
	fs_fid_drop_all(&s->fids);
}

/* Data of Rread and Rreaddir: what the client asks for, as far as it fits. */
static u32 data_room(const struct fs_session *s, u32 count)
{
	u32 room = s->msize - FS_REPLY_OVERHEAD;

	return count < room ? count : room;
}

static int on_version(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		      struct p9_fcall *rep)
{
	(void)fid;
	fs_session_reset(s);
	if (req->msize < P9_MSIZE_MIN)
		return -EMSGSIZE;
	rep->msize = req->msize < P9_MSIZE_MAX ? req->msize : P9_MSIZE_MAX;
	rep->version = p9_str("unknown");
	if (p9_str_is(req->version, P9_VERSION_STRING)) {
		rep->version = p9_str(P9_VERSION_STRING);
		s->msize = rep->msize;
	}
	return 0;
}

static int on_attach(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		     struct p9_fcall *rep)
{
	(void)fid;
	if (req->afid != P9_NOFID)
		return -EOPNOTSUPP;
	if (req->fid == P9_NOFID)
		return -EBADF;
	if (req->aname.len && !p9_str_is(req->aname, "/"))
		return -ENOENT;
	rep->qid = fs_tree_qid("", S_IFDIR);
	return fs_fid_add(&s->fids, req->fid, "");
}

static int on_flush(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		    struct p9_fcall *rep)
{
	(void)fid;
	(void)rep;
	fs_pending_flush(s, req->oldtag);
	return 0;
}

static int walk_check(const struct fs_session *s, const struct fs_fid *fid, u32 newfid)
{
	if (newfid == P9_NOFID)
		return -EBADF;
	if (newfid == fid->id)
		return fid->opened ? -EBUSY : 0;
	return fs_fid_get(&s->fids, newfid) ? -EEXIST : 0;
}

static int on_walk(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		   struct p9_fcall *rep)
{
	char path[FS_PATH_MAX];
	struct stat st;
	int err;

	err = walk_check(s, fid, req->newfid);
	snprintf(path, sizeof(path), "%s", fid->path);
	while (!err && rep->nwalk < req->nwalk) {
		err = fs_path_step(path, req->wname[rep->nwalk]);
		if (!err)
			err = fs_tree_stat(&s->tree, path, &st);
		if (!err)
			rep->wqid[rep->nwalk++] = fs_tree_qid(path, st.st_mode);
	}
	/* A walk that got part of the way succeeds without making the new fid. */
	if (err)
		return rep->nwalk ? 0 : err;
	if (req->newfid == fid->id)
		return fs_fid_move(&s->fids, fid, path);
	return fs_fid_add(&s->fids, req->newfid, path);
}

static int on_clunk(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		    struct p9_fcall *rep)
{
	(void)req;
	(void)rep;
	fs_pending_orphan(s, fid);
	fs_fid_drop(&s->fids, fid);
	return 0;
}

/* An open file is asked itself: its name may be gone. */
static int fid_stat(const struct fs_session *s, const struct fs_fid *fid, struct stat *st)
{
	if (fid->fd < 0)
		return fs_tree_stat(&s->tree, fid->path, st);
	return fstat(fid->fd, st) < 0 ? -errno : 0;
}

static int fid_qid(const struct fs_session *s, const struct fs_fid *fid, struct p9_qid *qid)
{
	struct stat st;
	int err = fid_stat(s, fid, &st);

	if (!err)
		*qid = fs_tree_qid(fid->path, st.st_mode);
	return err;
}

static int on_lopen(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		    struct p9_fcall *rep)
{
	int err = fs_file_open(s, fid, req->flags);

	return err ? err : fid_qid(s, fid, &rep->qid);
}

static int on_lcreate(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		      struct p9_fcall *rep)
{
	int err = fs_file_create(s, fid, req);

	return err ? err : fid_qid(s, fid, &rep->qid);
}

static int on_read(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		   struct p9_fcall *rep)
{
	u32 count = data_room(s, req->count);
	ssize_t n = fs_file_read(s, fid, req->offset, (char *)rep->data.s, count);

	if (n == -EAGAIN && !fid->nonblock)
		return fs_pending_add(s, &(struct fs_pending){
			.tag = req->tag, .fid = fid, .offset = req->offset, .count = count,
		});
	if (n < 0)
		return (int)n;
	rep->data.len = (u32)n;
	return 0;
}

static int on_write(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		    struct p9_fcall *rep)
{
	u64 ticket = 0;
	ssize_t n;

	/* Once it is stored there is no way back. */
	if (fid->file && fs_pending_is_full(s))
		return -ENOBUFS;
	n = fs_file_write(s, fid, req->offset, req->data, &ticket);
	if (n == -EINPROGRESS)
		return fs_pending_add(s, &(struct fs_pending){
			.tag = req->tag, .is_write = true, .fid = fid, .count = req->data.len,
			.ticket = ticket,
		});
	if (n < 0)
		return (int)n;
	rep->count = (u32)n;
	return 0;
}

static int on_readdir(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		      struct p9_fcall *rep)
{
	ssize_t n = fs_file_readdir(s, fid, req->offset, (char *)rep->data.s,
				    data_room(s, req->count));

	if (n < 0)
		return (int)n;
	rep->data.len = (u32)n;
	return 0;
}

static int on_getattr(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		      struct p9_fcall *rep)
{
	struct stat st;
	int err;

	(void)req;
	err = fid_stat(s, fid, &st);
	if (err)
		return err;
	rep->qid = fs_tree_qid(fid->path, st.st_mode);
	rep->attr = (struct p9_attr){
		.valid = P9_STATS_BASIC,
		.mode = st.st_mode, .uid = st.st_uid, .gid = st.st_gid,
		.nlink = st.st_nlink, .rdev = st.st_rdev, .size = (u64)st.st_size,
		.blksize = (u64)st.st_blksize, .blocks = (u64)st.st_blocks,
		.atime_sec = (u64)st.st_atim.tv_sec, .atime_nsec = (u64)st.st_atim.tv_nsec,
		.mtime_sec = (u64)st.st_mtim.tv_sec, .mtime_nsec = (u64)st.st_mtim.tv_nsec,
		.ctime_sec = (u64)st.st_ctim.tv_sec, .ctime_nsec = (u64)st.st_ctim.tv_nsec,
	};
	return 0;
}

/* Linux sends size 0, with the times that move by themselves, for "echo > file". */
static int on_setattr(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		      struct p9_fcall *rep)
{
	const u32 known = P9_SET_SIZE | P9_SET_ATIME | P9_SET_MTIME | P9_SET_CTIME;

	(void)rep;
	if (!(req->set_valid & P9_SET_SIZE) || req->set_valid & ~known)
		return -EPERM;
	return req->attr.size ? -EINVAL : fs_file_truncate(s, fid);
}

static int on_statfs(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		     struct p9_fcall *rep)
{
	struct statfs st;

	(void)fid;
	(void)req;
	if (fstatfs(s->tree.tracing_fd, &st) < 0)
		return -errno;
	rep->statfs = (struct p9_statfs){
		.type = (u32)st.f_type, .bsize = (u32)st.f_bsize, .blocks = st.f_blocks,
		.bfree = st.f_bfree, .bavail = st.f_bavail, .files = st.f_files,
		.ffree = st.f_ffree, .namelen = (u32)st.f_namelen,
	};
	return 0;
}

static int on_fsync(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		    struct p9_fcall *rep)
{
	(void)s;
	(void)rep;
	if (!fid->opened)
		return -EBADF;
	if (fid->fd >= 0 && (req->flags ? fdatasync(fid->fd) : fsync(fid->fd)) < 0)
		return -errno;
	return 0;
}

/* Opens a directory for making or removing what is in it. */
static int dir_open(const struct fs_session *s, const struct fs_fid *fid)
{
	struct fs_node node;
	int err;

	err = fs_tree_find(&s->tree, fid->path, &node);
	if (err)
		return err;
	if (node.place != FS_TRACING)
		return -EPERM;
	return fs_tree_fd(&s->tree, &node, O_PATH | O_DIRECTORY, 0);
}

static int on_mkdir(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		    struct p9_fcall *rep)
{
	char path[FS_PATH_MAX], name[FS_PATH_MAX] = "";
	int dir, err;

	snprintf(path, sizeof(path), "%s", fid->path);
	err = fs_path_step(path, req->name);
	if (!err)
		err = fs_path_step(name, req->name);
	if (err)
		return err;
	dir = dir_open(s, fid);
	if (dir < 0)
		return dir;
	err = mkdirat(dir, name, req->attr.mode & 0777) < 0 ? -errno : 0;
	close(dir);
	rep->qid = fs_tree_qid(path, S_IFDIR);
	return err;
}

static int on_unlinkat(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		       struct p9_fcall *rep)
{
	char name[FS_PATH_MAX] = "";
	int dir, err;

	(void)rep;
	if (req->flags & ~P9_UNLINK_DIR)
		return -EINVAL;
	err = fs_path_step(name, req->name);
	if (err)
		return err;
	dir = dir_open(s, fid);
	if (dir < 0)
		return dir;
	err = unlinkat(dir, name, req->flags ? AT_REMOVEDIR : 0) < 0 ? -errno : 0;
	close(dir);
	return err;
}

/* What each request does, and whether it is about a fid that must exist. */
static const struct {
	int (*run)(struct fs_session *s, struct fs_fid *fid, const struct p9_fcall *req,
		   struct p9_fcall *rep);
	bool has_fid;
} requests[] = {
	[P9_TVERSION] = { on_version, false },
	[P9_TATTACH] = { on_attach, false },
	[P9_TFLUSH] = { on_flush, false },
	[P9_TWALK] = { on_walk, true },
	[P9_TCLUNK] = { on_clunk, true },
	[P9_TLOPEN] = { on_lopen, true },
	[P9_TLCREATE] = { on_lcreate, true },
	[P9_TREAD] = { on_read, true },
	[P9_TWRITE] = { on_write, true },
	[P9_TREADDIR] = { on_readdir, true },
	[P9_TGETATTR] = { on_getattr, true },
	[P9_TSETATTR] = { on_setattr, true },
	[P9_TSTATFS] = { on_statfs, true },
	[P9_TFSYNC] = { on_fsync, true },
	[P9_TMKDIR] = { on_mkdir, true },
	[P9_TUNLINKAT] = { on_unlinkat, true },
	/* Txattrwalk is missing: EOPNOTSUPP tells Linux that there are no attributes. */
};

static int request_run(struct fs_session *s, const struct p9_fcall *req, struct p9_fcall *rep)
{
	struct fs_fid *fid = NULL;

	if (req->type >= ARRAY_SIZE(requests) || !requests[req->type].run)
		return -EOPNOTSUPP;
	if (requests[req->type].has_fid) {
		fid = fs_fid_get(&s->fids, req->fid);
		if (!fid)
			return -EBADF;
	}
	return requests[req->type].run(s, fid, req, rep);
}

static int reply_encode(struct p9_fcall *rep, int err, u8 *buf)
{
	if (err)
		*rep = (struct p9_fcall){ .type = P9_RLERROR, .tag = rep->tag, .ecode = (u32)-err };
	return p9_encode(rep, buf, P9_MSIZE_MAX);
}

int fs_session_answer(struct fs_session *s, u8 *buf, size_t len)
{
	struct p9_fcall req, rep;
	int err;

	err = p9_decode(buf, len, &req);
	if (!s->msize && (err || req.type != P9_TVERSION))
		return -EPROTO;
	rep = (struct p9_fcall){
		.type = req.type + 1, .tag = req.tag,
		.data.s = (char *)buf + FS_REPLY_OVERHEAD,
	};
	if (!err)
		err = request_run(s, &req, &rep);
	if (err == -EINPROGRESS)
		return 0;
	return reply_encode(&rep, err, buf);
}

int fs_session_resume(struct fs_session *s, u8 *buf)
{
	struct p9_fcall rep;
	int err;

	err = fs_pending_next(s, &rep, (char *)buf + FS_REPLY_OVERHEAD);
	if (err == -EINPROGRESS)
		return 0;
	return reply_encode(&rep, err, buf);
}
