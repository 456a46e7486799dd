// SPDX-License-Identifier: GPL-2.0-only
/* Does the 9P server serve its tree as Linux expects it, and nothing outside of it? */
#include "fs-rig.h"

static void test_version(void)
{
	struct rig *r = rig_start();
	struct p9_fcall req = {
		.type = P9_TVERSION, .tag = P9_NOTAG, .msize = 8192, .version = p9_str("9P2000.u"),
	};

	is(rig_call(r, &req), 0, "another version");
	ok(p9_str_is(r->rep.version, "unknown"), "is unknown");
	req.version = p9_str("nonsense");
	is(rig_call(r, &req), 0, "so is nonsense");
	ok(p9_str_is(r->rep.version, "unknown"), "is unknown");
	is(rig_version(r, 100), -EMSGSIZE, "msize below what a message may need");
	is(rig_version(r, 1 << 30), 0, "a huge msize");
	is(r->rep.msize, P9_MSIZE_MAX, "is cut to ours");
	ok(p9_str_is(r->rep.version, P9_VERSION_STRING), "our version");
	is(rig_version(r, 8192), 0, "again");
	is(r->rep.msize, 8192, "the client's msize");
	rig_stop(r);
}

static void test_attach(void)
{
	struct rig *r = rig_start();
	struct p9_fcall req = {
		.type = P9_TATTACH, .fid = 1, .afid = P9_NOFID, .aname = p9_str("/"),
	};

	rig_version(r, RIG_MSIZE);
	is(rig_call(r, &req), 0, "attach to /");
	is(r->rep.qid.type, P9_QID_DIR, "a directory");
	is(rig_call(r, &req), -EEXIST, "the same fid again");
	req.fid = 2;
	req.aname = p9_str("/etc");
	is(rig_call(r, &req), -ENOENT, "another tree");
	req.aname = p9_str("");
	req.afid = 1;
	is(rig_call(r, &req), -EOPNOTSUPP, "with authentication");
	is(rig_version(r, RIG_MSIZE), 0, "a new session");
	is(rig_walk(r, 5, "tracing"), -EBADF, "has none of the old fids");
	rig_stop(r);
}

static void test_unknown(struct rig *r)
{
	static const u8 unknown[] = { 7, 0, 0, 0, 22, 0x34, 0x12 };
	static const u8 malformed[] = { 9, 0, 0, 0, P9_TCLUNK, 0x34, 0x12, 0, 0 };

	rig_write(r, unknown, sizeof(unknown));
	is(rig_recv(r, RIG_TIMEOUT_MS), -EOPNOTSUPP, "Treadlink");
	is(r->rep.tag, 0x1234, "is refused by its tag");
	rig_write(r, malformed, sizeof(malformed));
	is(rig_recv(r, RIG_TIMEOUT_MS), -EBADMSG, "a malformed Tclunk");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TXATTRWALK, .newfid = 9,
		    .name = p9_str("security.capability") }), -EOPNOTSUPP, "Txattrwalk");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_RCLUNK }), -EOPNOTSUPP, "a reply");
}

static void test_walk(struct rig *r)
{
	u64 tracing;

	is(rig_walk(r, 10, "tracing/events/sched/enable"), 0, "walk to a file");
	is(r->rep.nwalk, 4, "all the way");
	ok(r->rep.wqid[2].type == P9_QID_DIR && !r->rep.wqid[3].type, "types");
	tracing = r->rep.wqid[0].path;
	is(rig_walk(r, 10, "tracing"), -EEXIST, "to a fid in use");
	is(rig_walk(r, 11, "tracing/none/enable"), 0, "walk to nowhere");
	is(r->rep.nwalk, 1, "gets part of the way");
	is(rig_clunk(r, 11), -EBADF, "and makes no fid");
	is(rig_walk(r, 11, "none"), -ENOENT, "nothing of the way");
	is(rig_walk(r, 11, "agent/version/x"), 0, "through a file");
	is(r->rep.nwalk, 2, "not beyond it");
	is(rig_walk(r, 11, "agent/none"), 0, "agent");
	is(r->rep.nwalk, 1, "has no such file");
	is(rig_walk(r, 11, ""), 0, "clone");
	is(rig_walk(r, 12, "tracing/events/../../../../../tracing"), 0, "too many ..");
	is(r->rep.wqid[7].path, tracing, "stop at the root");
	is(rig_walk(r, RIG_ROOT, ""), 0, "walk to the same fid");
	is(rig_walk(r, P9_NOFID, ""), -EBADF, "to no fid");
	rig_clunk(r, 10);
	rig_clunk(r, 11);
	rig_clunk(r, 12);
}

static void test_confinement(struct rig *r)
{
	rig_walk(r, 20, "tracing/out/etc/passwd");
	is(r->rep.nwalk, 2, "a symbolic link is seen");
	is(r->rep.wqid[1].type, P9_QID_SYMLINK, "as such");
	is(rig_clunk(r, 20), -EBADF, "and not followed");
	is(rig_open(r, 20, "tracing/out", 0), -ELOOP, "nor opened");
	rig_clunk(r, 20);
	is(rig_open(r, 20, "tracing/in", P9_OPEN_WRONLY), -ELOOP, "even if it stays inside");
	rig_clunk(r, 20);
	rig_walk(r, 20, "tracing");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TLCREATE, .fid = 20,
		    .name = p9_str("in"), .flags = P9_OPEN_WRONLY }), -ELOOP,
	   "nor created through");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TUNLINKAT, .fid = 20,
		    .name = p9_str(".."), .flags = P9_UNLINK_DIR }), -ENOENT,
	   ".. is no name to remove");
	rig_clunk(r, 20);
}

static int getattr(struct rig *r, const char *path)
{
	int err;

	rig_walk(r, 30, path);
	err = rig_call(r, &(struct p9_fcall){
		.type = P9_TGETATTR, .fid = 30, .attr.valid = P9_STATS_BASIC,
	});
	r->rep.tag = 0;
	if (!err) {
		struct p9_fcall keep = r->rep;

		rig_clunk(r, 30);
		r->rep = keep;
	}
	return err;
}

static void test_getattr(struct rig *r)
{
	struct stat st;

	is(getattr(r, ""), 0, "getattr of /");
	ok(S_ISDIR(r->rep.attr.mode) && r->rep.attr.valid == P9_STATS_BASIC, "a directory");
	is(getattr(r, "agent/ctl"), 0, "getattr of ctl");
	is(r->rep.attr.mode, S_IFREG | 0644, "read and written");
	is(getattr(r, "agent/version"), 0, "getattr of version");
	is(r->rep.attr.mode, S_IFREG | 0444, "read only");
	is(getattr(r, "tracing/trace"), 0, "getattr of trace");
	stat(rig_path(r, "trace"), &st);
	ok(r->rep.attr.mode == st.st_mode && r->rep.attr.size == (u64)st.st_size &&
	   r->rep.attr.mtime_sec == (u64)st.st_mtim.tv_sec, "is the kernel's");
	is(getattr(r, "kallsyms"), 0, "getattr of kallsyms");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TSTATFS }), 0, "statfs");
	ok(r->rep.statfs.namelen == 255 && r->rep.statfs.bsize, "the kernel's");
}

/* Lists a directory with replies of at most @count bytes; returns the number of entries. */
static int list(struct rig *r, const char *path, u32 count, char *names)
{
	struct p9_fcall req = { .type = P9_TREADDIR, .tag = 7, .fid = 40, .count = count };
	struct p9_dirent de;
	int n = 0, len;
	u32 at;

	*names = '\0';
	rig_open(r, 40, path, P9_OPEN_DIRECTORY);
	while (!rig_call(r, &req) && r->rep.data.len) {
		for (at = 0; at < r->rep.data.len; at += (u32)len, n++) {
			len = p9_get_dirent(r->rep.data.s + at, r->rep.data.len - at, &de);
			if (len < 0)
				return len;
			strncat(names, de.name.s, de.name.len);
			strcat(names, de.type == 4 ? "/ " : " ");
			req.offset = de.offset;
		}
	}
	rig_clunk(r, 40);
	return n;
}

static void test_readdir(struct rig *r)
{
	char names[8192], name[64];
	int i;

	is(list(r, "", 4096, names), 5, "list /");
	ok(!strcmp(names, "./ ../ agent/ kallsyms tracing/ "), "its names");
	is(list(r, "agent", 40, names), 7, "list /agent, one entry each time");
	ok(!strcmp(names, "./ ../ version ctl bad big blind "), "its names");
	is(list(r, "tracing", 4096, names), 9, "list /tracing");
	ok(strstr(names, "events/ ") && strstr(names, "trace_pipe ") && strstr(names, "./ "),
	   "its names");

	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "instances/an-instance-%d", i);
		mkdir(rig_path(r, name), 0755);
	}
	is(list(r, "tracing/instances", 50, names), 302, "one entry each time");
	is(list(r, "tracing/instances", 333, names), 302, "a few");
	is(list(r, "tracing/instances", RIG_MSIZE, names), 302, "all at once");

	rig_open(r, 41, "tracing", 0);
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TREADDIR, .fid = 41, .count = 20 }),
	   -EINVAL, "no room for one entry");
	is(rig_get(r, 41, 0, 10), -EISDIR, "a directory can't be read");
	rig_clunk(r, 41);
	rig_open(r, 41, "", 0);
	is(rig_get(r, 41, 0, 10), -EISDIR, "nor can ours");
	rig_clunk(r, 41);
	rig_open(r, 41, "agent/version", 0);
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TREADDIR, .fid = 41, .count = 200 }),
	   -ENOTDIR, "a file can't be listed");
	rig_clunk(r, 41);
}

static void test_read_write(struct rig *r)
{
	is(rig_open(r, 50, "tracing/trace", 0), 0, "open trace");
	is(rig_get(r, 50, 0, 4096), 0, "read it");
	ok(rig_data_is(r, "# tracer: nop\n"), "its content");
	is(rig_get(r, 50, 10, 3), 0, "a part");
	ok(rig_data_is(r, "nop"), "its content");
	is(rig_get(r, 50, 14, 4096), 0, "at the end");
	is(r->rep.data.len, 0, "nothing");
	is(rig_set(r, 50, "x"), -EBADF, "write to what is open for reading");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TLOPEN, .fid = 50 }), -EBUSY, "open twice");
	rig_clunk(r, 50);

	is(rig_open(r, 50, "tracing/set_event", P9_OPEN_WRONLY | P9_OPEN_TRUNC), 0, "truncate");
	is(rig_set(r, 50, "a:b\n"), 0, "write");
	is(r->rep.count, 4, "all of it");
	rig_clunk(r, 50);
	ok(rig_has(r, "set_event", "a:b\n"), "is what is there");
	is(rig_open(r, 50, "tracing/set_event", P9_OPEN_WRONLY | P9_OPEN_APPEND), 0, "append");
	rig_set(r, 50, "c:d\n");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TFSYNC, .fid = 50 }), 0, "fsync");
	rig_clunk(r, 50);
	ok(rig_has(r, "set_event", "a:b\nc:d\n"), "is behind");
	is(rig_open(r, 50, "tracing/events", P9_OPEN_WRONLY), -EISDIR, "write a directory");
	is(rig_get(r, 50, 0, 1), -EBADF, "read what is not open");
	rig_clunk(r, 50);
}

/* As Linux does "echo > file": open, set the size, write. */
static void test_setattr(struct rig *r)
{
	struct p9_fcall req = {
		.type = P9_TSETATTR, .fid = 60,
		.set_valid = P9_SET_SIZE | P9_SET_MTIME | P9_SET_CTIME,
	};

	rig_put(r, "set_event", "much longer\n");
	rig_open(r, 60, "tracing/set_event", P9_OPEN_WRONLY);
	is(rig_call(r, &req), 0, "size 0 of an open file");
	rig_set(r, 60, "x\n");
	ok(rig_has(r, "set_event", "x\n"), "and written");
	req.attr.size = 5;
	is(rig_call(r, &req), -EINVAL, "another size");
	req.attr.size = 0;
	req.set_valid = P9_SET_MODE;
	is(rig_call(r, &req), -EPERM, "chmod");
	req.set_valid = P9_SET_SIZE | P9_SET_MTIME_SET;
	is(rig_call(r, &req), -EPERM, "a time of the client's");
	rig_clunk(r, 60);

	req.set_valid = P9_SET_SIZE;
	rig_walk(r, 60, "tracing/set_event");
	is(rig_call(r, &req), 0, "size 0 of a file that is not open");
	ok(rig_has(r, "set_event", ""), "is empty");
	rig_clunk(r, 60);
	rig_walk(r, 60, "agent/ctl");
	is(rig_call(r, &req), 0, "size 0 of ctl");
	rig_clunk(r, 60);
	rig_walk(r, 60, "agent/version");
	is(rig_call(r, &req), -EACCES, "size 0 of version");
	rig_clunk(r, 60);
	rig_walk(r, 60, "kallsyms");
	is(rig_call(r, &req), -EACCES, "size 0 of kallsyms");
	rig_clunk(r, 60);
}

static int make(struct rig *r, u32 fid, const char *name)
{
	return rig_call(r, &(struct p9_fcall){
		.type = P9_TMKDIR, .fid = fid, .name = p9_str(name), .attr.mode = 040755,
	});
}

static int removes(struct rig *r, u32 fid, const char *name, u32 flags)
{
	return rig_call(r, &(struct p9_fcall){
		.type = P9_TUNLINKAT, .fid = fid, .name = p9_str(name), .flags = flags,
	});
}

static void test_make_remove(struct rig *r)
{
	struct stat st;

	rig_walk(r, 70, "tracing/instances");
	is(make(r, 70, "foo"), 0, "make an instance");
	is(r->rep.qid.type, P9_QID_DIR, "a directory");
	ok(!stat(rig_path(r, "instances/foo"), &st) && S_ISDIR(st.st_mode), "is there");
	is(make(r, 70, "foo"), -EEXIST, "again");
	is(removes(r, 70, "foo", 0), -EISDIR, "remove it as a file");
	is(removes(r, 70, "foo", 1), -EINVAL, "with an unknown flag");
	is(removes(r, 70, "foo", P9_UNLINK_DIR), 0, "remove it");
	is(removes(r, 70, "foo", P9_UNLINK_DIR), -ENOENT, "again");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TLCREATE, .fid = 70,
		    .name = p9_str("new"), .flags = P9_OPEN_RDWR | P9_OPEN_EXCL,
		    .attr.mode = 0100600 }), 0, "create a file");
	is(rig_set(r, 70, "text"), 0, "the fid is the file");
	ok(rig_has(r, "instances/new", "text"), "is there");
	rig_clunk(r, 70);
	is(make(r, RIG_ROOT, "x"), -EPERM, "nothing is made in /");
	rig_walk(r, 70, "agent");
	is(removes(r, 70, "ctl", 0), -EPERM, "nor removed in /agent");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TLCREATE, .fid = 70,
		    .name = p9_str("x") }), -EPERM, "nor created");
	rig_clunk(r, 70);
}

static void test_agent(struct rig *r)
{
	is(rig_open(r, 80, "agent/version", 0), 0, "open version");
	rig_get(r, 80, 0, 4);
	ok(rig_data_is(r, "0.1."), "its beginning");
	rig_get(r, 80, 4, 100);
	ok(rig_data_is(r, "0\n"), "its rest");
	rig_get(r, 80, 1ULL << 63, 100);
	is(r->rep.data.len, 0, "nothing far behind");
	rig_clunk(r, 80);

	is(rig_open(r, 80, "agent/version", P9_OPEN_WRONLY), -EACCES, "version can't be written");
	is(rig_call(r, &(struct p9_fcall){ .type = P9_TLOPEN, .fid = 80,
		    .flags = P9_OPEN_DIRECTORY }), -ENOTDIR, "nor is it a directory");
	rig_clunk(r, 80);
	is(rig_open(r, 80, "agent/ctl", P9_OPEN_RDWR), 0, "open ctl");
	is(rig_set(r, 80, "1\n"), 0, "start");
	rig_get(r, 80, 0, 100);
	ok(rig_data_is(r, "1\n"), "tells the order in force");
	is(rig_set(r, 80, "nonsense"), -EINVAL, "errors come back");
	rig_clunk(r, 80);
	is(rig_open(r, 80, "agent/blind", P9_OPEN_RDWR), -EACCES, "can't be read");
	rig_clunk(r, 80);
	rig_open(r, 80, "agent/bad", 0);
	is(rig_get(r, 80, 0, 100), -EIO, "show fails");
	rig_clunk(r, 80);
	rig_open(r, 80, "kallsyms", 0);
	rig_get(r, 80, 0, 100);
	ok(rig_data_is(r, "ffffffff81000000 T _text\n"), "kallsyms");
	rig_clunk(r, 80);
	is(rig_open(r, 80, "kallsyms", P9_OPEN_WRONLY), -EACCES, "is read only");
	rig_clunk(r, 80);
}

int main(void)
{
	struct rig *r;

	test_version();
	test_attach();
	r = rig_session(RIG_MSIZE);
	test_unknown(r);
	test_walk(r);
	test_confinement(r);
	test_getattr(r);
	test_readdir(r);
	test_read_write(r);
	test_setattr(r);
	test_make_remove(r);
	test_agent(r);
	rig_stop(r);
	return done();
}
