# SPDX-License-Identifier: GPL-2.0-only
# The one door to virtio-trace: `make help` lists what can be asked for.
#
# CC, CFLAGS, LDFLAGS, DESTDIR, prefix, O (instead of build/), V=1 and WERROR=1 are honoured.

O ?= build
prefix ?= /usr/local
BUILD := $(abspath $(O))
export BUILD prefix

vt := tools/virtio/virtio-trace
version := $(shell sed -n 's/.*VERSION "\(.*\)"/\1/p' $(vt)/version.h)

# Every recursive make builds on all processors, unless make was told a number.
jobs = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
submake = $(MAKE) --no-print-directory $(jobs)

help: ## list these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | \
		while IFS='|' read -r what why; do printf '%-22s%s\n' "$$what" "$$why"; done

setup: ## install the Debian packages everything needs (as root; else say which)
	@scripts/setup check

all: agent host ## build agent and host tool

agent: setup-build ## build trace-agent, the guest's program, into build/agent
	@$(submake) -C $(vt) O=$(BUILD)/agent

host: setup-build ## build virtio-trace, the host's program, into build/host
	@$(submake) -C $(vt)/host O=$(BUILD)/host

demo: setup-demo all ## record a guest's trace for a few seconds and show it
	@scripts/demo

check: tests patched ## run every test: unit, program, fuzz and virtual-machine tests
	@tests/check vm fuzz program unit

check-unit: tests ## run the unit tests, plain and under the sanitizers
	@tests/check unit

check-program: tests ## run the tests of agent and host tool as programs
	@tests/check program

check-vm: tests patched ## run the tests in virtual machines
	@tests/check vm

check-kernel: kernel ## run the selftests of our patches on the kernel for debugging
	@KERNEL=debug-6.12 TEST_TIMEOUT=7200 tests/check kernel

fuzz: tests ## run each fuzzer for FUZZ_SECONDS (60)
	@tests/check fuzz

kernel: setup-kernel ## build guest kernels, plain, patched and patched for debugging
	@vm/build-kernel plain-6.12 patched-6.12 debug-6.12

bench-cost: setup-kernel ## measure what a page costs from ring buffer to host, in instructions
	@bench/cost

bench-subbuf: setup-kernel all ## measure what the size of sub-buffers does to agent and tracer
	@bench/subbuf

bench-defects: setup-kernel ## see which faults kernels have without and with our patches
	@bench/defects-virtio_console
	@bench/defects-tracing

series: setup ## join patches and our own files into build/series, as mails for the kernel's lists
	@scripts/series

check-series: setup-kernel ## look at the series as its maintainers would: git am, checkpatch, sparse, W=1
	@scripts/check-series

soak: tests ## record a busy guest for SOAK_SECONDS (3600)
	@SOAK_SECONDS=$${SOAK_SECONDS:-3600} TEST_TIMEOUT=86400 prove -v tests/soak.t

lint: setup ## check style, words, kernel-doc, and both compilers' warnings
	@scripts/lint

vm-shell: setup-demo agent ## boot the guest by hand, with its trace ports on the host
	@vm/shell

bench-host: setup-build host ## measure virtio-trace moving FIFOs to a file, beside cat
	@bench/host

man: setup ## make the manual pages, into build/man
	@scripts/man $(BUILD)/man

install: all man ## install programs and manual pages under DESTDIR and prefix
	@$(submake) -C $(vt) O=$(BUILD)/agent install
	@$(submake) -C $(vt)/host O=$(BUILD)/host install
	@scripts/man $(DESTDIR)$(prefix)/share/man

deb: setup ## build the Debian packages of what is committed, into build/deb
	@rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb/src
	git archive HEAD | tar -x -C $(BUILD)/deb/src
	cd $(BUILD)/deb/src && env -u MAKEFLAGS -u prefix dpkg-buildpackage -us -uc -b
	@rm -rf $(BUILD)/deb/src

dist: ## pack the committed sources into build/
	@mkdir -p $(BUILD)
	git archive --prefix=virtio-trace-$(version)/ HEAD | \
		xz > $(BUILD)/virtio-trace-$(version).tar.xz

clean: ## remove build/, except the downloaded kernels
	@test ! -d $(BUILD) || find $(BUILD) -mindepth 1 -maxdepth 1 ! -name kernels -exec rm -rf {} +

# The kernel with our patches, in which their tests run.
patched: setup
	@vm/kernels patched-6.12 > /dev/null

setup-build setup-demo setup-kernel:
	@scripts/setup $(@:setup-%=%)

tests: setup all
	@$(submake) -C $(vt)/tests O=$(BUILD)/tests/plain all
	@$(submake) -C $(vt)/tests O=$(BUILD)/tests/asan SAN=address,undefined all programs
	@$(submake) -C $(vt)/tests O=$(BUILD)/tests/tsan SAN=thread all programs
	@$(submake) -C $(vt)/tests O=$(BUILD)/tests/fuzz fuzz
	@$(submake) -C tests/programs O=$(BUILD)/tests/programs

# A test directory lies beside this file: every name here is an order.
.PHONY: help setup all agent host demo check check-unit check-program check-vm check-kernel fuzz soak lint man \
	kernel bench-cost bench-subbuf bench-defects series check-series \
	vm-shell bench-host install deb dist clean \
	setup-build setup-demo setup-kernel tests patched

# Programs to be built wait for the packages that build them, also under -j.
.NOTPARALLEL:
