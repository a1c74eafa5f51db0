# tare: build, test, install. 'make help' lists the targets.
LUA ?= lua5.4
PREFIX ?= /usr/local
CC ?= cc
OPT ?= -O2
WARN = -std=c99 -Wall -Wextra -pedantic -Wshadow -Wstrict-prototypes
SANITIZE ?=
BUILD ?= build/$(LUA)

lua_name = $(if $(findstring luajit,$(LUA)),luajit-2.1,$(LUA))
LUA_INCDIR ?= $(firstword $(wildcard \
  $(foreach d,/usr/include /usr/local/include /opt/homebrew/include,\
  $(d)/$(lua_name))))
VERSION = $(shell sed -n 's/.*TARE_VERSION "\(.*\)"/\1/p' csrc/tare.h)
UNAME := $(shell uname -s)
SHARED = $(if $(filter Darwin,$(UNAME)),-bundle -undefined dynamic_lookup,\
  -shared -Wl,-z,relro,-z,now -Wl,-z,defs -Wl,--unresolved-symbols=ignore-all)

LIBS = -lm $(if $(filter Linux,$(UNAME)),-ldl -lrt)

CORE = $(BUILD)/tare/core.so
SRC = $(wildcard csrc/*/*.c)
OBJ = $(SRC:csrc/%.c=$(BUILD)/obj/%.o)
DEPS = LUA=$(LUA) sh .ci/deps.sh
# No contraction to fused multiply-add: a seed gives the same numbers anywhere.
CFLAGS_ALL = $(WARN) $(OPT) -ffp-contract=off $(SANITIZE) -fPIC \
  -fvisibility=hidden -Icsrc -MMD -MP $(CFLAGS)
RUN_LUA = LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='$(BUILD)/?.so;;' \
  $(LUA)

.PHONY: refused amalgam-check footprint budget frames accuracy counted story accuracy-assert sweep gates kills memory fuzz mutants scale help build hosts demo test \
  install uninstall clean lint asan \
  check valgrind bench versions layers format tidy rock rock-install amalgam

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

build: ## compile the core and link ./tare
	@$(DEPS) build
	@$(MAKE) --no-print-directory $(CORE) build/bin/tare

$(CORE): $(OBJ)
	@mkdir -p $(@D)
	@echo '  link $@'; $(CC) $(SHARED) $(SANITIZE) -o $@ $(OBJ) $(LIBS)

# The pure and platform layers must not see Lua: no include path for them.
$(BUILD)/obj/pure/%.o: csrc/pure/%.c
	@mkdir -p $(@D)
	@echo '  cc $<'; $(CC) $(CFLAGS_ALL) -c -o $@ $<
$(BUILD)/obj/platform/%.o: csrc/platform/%.c
	@mkdir -p $(@D)
	@echo '  cc $<'; $(CC) $(CFLAGS_ALL) -c -o $@ $<
$(BUILD)/obj/%.o: csrc/%.c
	@mkdir -p $(@D)
	@echo '  cc $<'; $(CC) $(CFLAGS_ALL) -I$(LUA_INCDIR) -c -o $@ $<
-include $(OBJ:.o=.d)

# Host programs for specs, where there is a Lua to link with.
HOST_LIB = -l$(if $(findstring luajit,$(LUA)),luajit-5.1,$(LUA))
hosts: $(BUILD)/hosts/host
$(BUILD)/hosts/%: spec/support/hosts/%.c
	@mkdir -p $(@D)
	@echo '  cc $<'; $(CC) $(WARN) -O1 $(SANITIZE) -I$(LUA_INCDIR) -o $@ $< \
	  $(HOST_LIB) -lm || echo '  (cannot link with $(HOST_LIB): skipped)'

build/bin/tare: .ci/tare.in
	@mkdir -p build/bin
	@cp .ci/tare.in $@ && chmod +x $@ && ln -sf build/bin/tare tare

demo: ## install what is missing, measure examples/, print and draw the report
	@$(DEPS) demo
	@$(MAKE) --no-print-directory build
	./tare run examples --quota 1s --format text --format html -o build/demo.html

test: ## every spec on lua5.4 and on LuaJIT
	@$(DEPS) test
	@$(MAKE) --no-print-directory LUA=lua5.4 build hosts
	@$(MAKE) --no-print-directory LUA=luajit build hosts
	@sh .ci/specs.sh lua5.4 luajit

versions: ## every spec on lua5.1, 5.2 and 5.3
	@$(DEPS) test versions
	@for l in lua5.1 lua5.2 lua5.3; do \
	  $(MAKE) --no-print-directory LUA=$$l build hosts || exit 1; done
	@sh .ci/specs.sh lua5.1 lua5.2 lua5.3

ASAN = -fsanitize=address,undefined -fno-omit-frame-pointer \
  -fno-sanitize-recover=undefined -g
# Not those that build or start other programs: a preloaded sanitizer is not for
# them (spec/e2e_embed_spec.lua builds its host with sanitizers itself). Nor the
# manual's: its verdicts need more than what 30 ms hold at a third of the speed.
ASAN_SPECS = $(filter-out $(addprefix spec/e2e_,docs_spec.lua html_spec.lua \
  games_spec.lua install_spec.lua embed_spec.lua),$(wildcard spec/*_spec.lua))
asan: ## the specs under the address and undefined-behaviour sanitizers
	@$(DEPS) test
	@for l in lua5.4 luajit lua5.1; do $(MAKE) --no-print-directory LUA=$$l \
	  BUILD=build/asan-$$l OPT=-O1 SANITIZE='$(ASAN)' build hosts || exit 1; done
	@LD_PRELOAD="$$($(CC) -print-file-name=libasan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 BUILD_PREFIX=build/asan- \
	  SPECS="$(ASAN_SPECS)" sh .ci/specs.sh lua5.4 luajit
	@LD_PRELOAD="$$($(CC) -print-file-name=libasan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 BUILD_PREFIX=build/asan- \
	  SPECS=spec/c_hosts_spec.lua sh .ci/specs.sh lua5.1

memory: ## every allocation refused in turn, also under the sanitizer (minutes)
	@$(DEPS) test
	@for l in lua5.4 luajit; do \
	  $(MAKE) -s --no-print-directory LUA=$$l build hosts && \
	  sh spec/reliability/memory.sh $$l || exit 1; \
	  $(MAKE) -s --no-print-directory LUA=$$l BUILD=build/asan-$$l OPT=-O1 \
	    SANITIZE='$(ASAN)' build hosts && \
	  ASAN_OPTIONS=detect_leaks=0 BUILD_PREFIX=build/asan- \
	    sh spec/reliability/memory.sh $$l 20 || exit 1; done

# The C interface of a host, with every BY-th request for memory refused.
BY ?= 1
refused: amalgam ## a C host that refuses every BY=1st allocation (minutes)
	@for l in lua5.4:lua5.4 luajit-2.1:luajit-5.1; do echo "== $${l%:*}"; \
	  $(CC) -std=c99 -O2 -DNDEBUG -ffp-contract=off -I/usr/include/$${l%:*} \
	    -Ibuild/amalgam -o build/amalgam/checks spec/support/embed_checks.c \
	    build/amalgam/tare.c -l$${l#*:} -lm -ldl -lpthread || exit 1; \
	  build/amalgam/checks refuse 1 $(BY) || exit 1; done

# libFuzzer comes with clang; the core is compiled into the fuzzer.
SECONDS ?= 600
FUZZ_S ?= $(SECONDS)
fuzz: ## stored reports, command lines, options, numbers: SECONDS=600 each
	@$(DEPS) test fuzz
	@mkdir -p build/fuzz
	@clang -std=c99 -O1 -g -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=undefined -Icsrc -I$(LUA_INCDIR) \
	  -o build/fuzz/fuzz spec/fuzz/fuzz.c \
	  $(filter-out csrc/embed/%,$(SRC)) -llua5.4 -lm -ldl
	@sh spec/fuzz/run.sh $(FUZZ_S)

scale: ## ten thousand benches listed, measured, stored and read again
	@$(DEPS) test
	@for l in lua5.4 luajit; do $(MAKE) -s --no-print-directory LUA=$$l build; \
	  LUA=$$l LUA_PATH='lua/?.lua;lua/?/init.lua;;' \
	  LUA_CPATH="build/$$l/?.so;;" $$l spec/reliability/scale.lua || exit 1; done

mutants: ## small faults, planted one at a time: how many the specs notice
	@$(DEPS) test
	@rm -rf build/mutants && mkdir -p build/mutants
	@tar -cf - --exclude=./build --exclude=./.git . | \
	  (cd build/mutants && tar -xf -)
	@$(MAKE) -s -C build/mutants LUA=lua5.4 build hosts >/dev/null
	@lua5.4 spec/mutation/run.lua build/mutants

# What the specs themselves do, not the programs that some of them start.
VALGRIND_SPECS = $(filter-out $(wildcard spec/e2e_*_spec.lua) \
  $(addprefix spec/,amalgam_spec.lua c_coverage_spec.lua c_hosts_spec.lua \
  examples_spec.lua),$(wildcard spec/*_spec.lua))
valgrind: ## the specs under valgrind's memcheck (a quarter of an hour)
	@$(DEPS) test valgrind
	@$(MAKE) --no-print-directory LUA=lua5.4 build
	@SPECS="$(VALGRIND_SPECS)" sh .ci/specs.sh --valgrind lua5.4

lint: format tidy layers ## luacheck, clang-format, clang-tidy, layers
	@$(DEPS) lint
	@luacheck -q $(wildcard lua spec examples) rockspec/*.rockspec >build/luacheck.log || \
	  { cat build/luacheck.log; exit 1; }

format:
	@$(DEPS) lint
	@clang-format --dry-run -Werror csrc/*.h $(SRC) $(wildcard csrc/*/*.h) \
	  $(wildcard spec/bench/*.[ch] spec/support/hosts/*.c spec/fuzz/*.c)

tidy:
	@$(DEPS) lint build
	@mkdir -p build
	@printf '%s\n' $(SRC) | xargs -P 4 -n 4 sh -c \
	  'clang-tidy --quiet "$$@" -- $(TIDY_FLAGS)' _ >build/tidy.log 2>&1 || \
	  { cat build/tidy.log; exit 1; }

layers:
	@$(DEPS) build
	@$(LUA) spec/support/layers.lua

amalgam: ## build/amalgam/tare.c and tare.h: the library as two files
	@$(DEPS) build
	@mkdir -p build/amalgam
	@LUA_PATH='./?.lua;;' $(LUA) spec/support/amalgam.lua build/amalgam
	@wc -c build/amalgam/tare.c build/amalgam/tare.h

.PHONY: dist
dist: ## build/tare-VERSION.tar.gz, and the rockspec that builds from it
	@mkdir -p build
	@sh .ci/dist.sh $(VERSION)

# Windows' part can't be run here; that it compiles, in full and without
# warnings, can be seen. mingw-w64 takes 20 s to install and 4 s to compile.
MINGW ?= x86_64-w64-mingw32-gcc
WINDOWS = $(SRC:csrc/%.c=build/windows/%.o)
build/windows/pure/%.o: csrc/pure/%.c
	@mkdir -p $(@D)
	@$(MINGW) $(WARN) -Werror $(OPT) -ffp-contract=off -Icsrc -MMD -c -o $@ $<
build/windows/platform/%.o: csrc/platform/%.c
	@mkdir -p $(@D)
	@$(MINGW) $(WARN) -Werror $(OPT) -ffp-contract=off -Icsrc -MMD -c -o $@ $<
build/windows/%.o: csrc/%.c
	@mkdir -p $(@D)
	@$(MINGW) $(WARN) -Werror $(OPT) -ffp-contract=off -Icsrc \
	  -I$(LUA_INCDIR) -MMD -c -o $@ $<
-include $(WINDOWS:.o=.d)
.PHONY: windows windows-objects
windows-objects: $(WINDOWS)
windows: ## compile the C sources for Windows, with mingw-w64
	@$(DEPS) build windows
	@$(MAKE) --no-print-directory -j 4 windows-objects

amalgam-check: amalgam ## the two files with every Lua, gcc and clang; their size
	@sh .ci/amalgam.sh build/amalgam

# What a host pays: memory and size; and what happens when it refuses memory.
footprint: amalgam ## memory of an idle session and of batches, size of the library
	@for l in lua5.4:lua5.4 luajit-2.1:luajit-5.1; do echo "== $${l%:*}"; \
	  $(CC) -std=c99 -O2 -DNDEBUG -ffp-contract=off -I/usr/include/$${l%:*} \
	    -Ibuild/amalgam -o build/amalgam/checks spec/support/embed_checks.c \
	    build/amalgam/tare.c -l$${l#*:} -lm -ldl -lpthread || exit 1; \
	  build/amalgam/checks idle && build/amalgam/checks batch || exit 1; done
	@sh .ci/amalgam.sh build/amalgam | grep bytes

budget: ## steps of a session against their 2 ms, beside plain waits
	@for l in lua5.4 luajit; do $(MAKE) -s --no-print-directory LUA=$$l build; \
	  echo "== $$l"; LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' \
	  LUA_CPATH="build/$$l/?.so;;" $$l spec/accuracy/session_steps.lua || \
	  exit 1; done

frames: ## frames with a known pause, by CPU time and by the clock
	@for l in lua5.4 luajit; do $(MAKE) -s --no-print-directory LUA=$$l build; \
	  for clock in cpu wall; do \
	  echo "== $$l, $$clock time"; LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' \
	  LUA_CPATH="build/$$l/?.so;;" $$l spec/accuracy/frames_policies.lua $$clock \
	  || exit 1; done; done

.PHONY: docs
docs: ## the reference, build/docs/index.html; fails on what is not described
	@$(DEPS) build docs
	@rm -rf build/docs build/docs-in && mkdir -p build/docs-in
	@LUA_PATH='./?.lua;;' $(LUA) spec/support/reference.lua build/docs-in
	@ldoc -q --fatalwarnings -c .ci/config.ld -d build/docs build/docs-in \
	  >build/docs.log 2>&1 || { cat build/docs.log; exit 1; }
	@echo 'build/docs/index.html'

.PHONY: plots
plots: build ## the pictures of the guide, docs/img, from runs made now
	@mkdir -p docs/img
	@$(RUN_LUA) spec/support/plots.lua docs/img

check: lint docs windows test asan ## what CI runs

install: build ## into PREFIX
	@sh .ci/install.sh install "$(LUA)" "$(PREFIX)"

uninstall: ## out of PREFIX again
	@sh .ci/install.sh uninstall "$(LUA)" "$(PREFIX)"

# What the rockspec calls; LuaRocks says where, and with which Lua.
rock:
	@rm -rf build/rock
	@$(MAKE) --no-print-directory -j 4 BUILD=build/rock build/rock/tare/core.so

rock-install:
	@mkdir -p "$(INST_LUADIR)" "$(INST_LIBDIR)/tare"
	@cp -R lua/tare "$(INST_LUADIR)/"
	@cp build/rock/tare/core.so "$(INST_LIBDIR)/tare/"

# Programs of their own (spec/bench/*_bench.c) and what runs from Lua.
BENCHES = $(patsubst spec/%.c,$(BUILD)/%,$(wildcard spec/bench/*_bench.c))
BENCHED = $(filter $(BUILD)/obj/pure/% $(BUILD)/obj/platform/%,$(OBJ))
$(BUILD)/bench/%: spec/bench/%.c $(BENCHED)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -Ispec/bench -o $@ $< $(BENCHED) $(LIBS)
-include $(BENCHES:=.d)

bench: ## tare's own speed, measured side by side with plain ways
	@$(DEPS) build
	@$(MAKE) --no-print-directory build $(BENCHES) >build/bench.log 2>&1 || \
	  { cat build/bench.log; exit 1; }
	@for b in $(BENCHES); do $$b || exit 1; done
	@for l in lua5.4 luajit; do $(MAKE) -s --no-print-directory LUA=$$l build; \
	  for b in spec/bench/*_bench.lua; do echo "== $$l $$b"; \
	  LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' LUA_CPATH="build/$$l/?.so;;" \
	  $$l $$b || exit 1; done; done

# ROUNDS, LUAS, BUSY (loops beside it) and ONLY (parts): see the script.
ROUNDS ?= 100
accuracy: ## costs, ratios and intervals against the truth (half an hour)
	@for l in lua5.4 luajit; do \
	  $(MAKE) -s --no-print-directory LUA=$$l build || exit 1; done
	@sh spec/accuracy/accuracy.sh $(ROUNDS)

# ASSERT_RUNS busted runs of each case on each interpreter: ten minutes.
ASSERT_RUNS ?= 50
accuracy-assert: ## how often tare.assert is right, beside a busy loop
	@for l in lua5.4 luajit; do \
	  $(MAKE) -s --no-print-directory LUA=$$l build || exit 1; done
	@sh spec/accuracy/assert.sh $(ASSERT_RUNS)

sweep: ## a sweep of known growth: its laws, crossings and time (minutes)
	@for l in lua5.4 luajit; do \
	  $(MAKE) -s --no-print-directory LUA=$$l build && \
	  LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' \
	    LUA_CPATH="build/$$l/?.so;;" TARE_LUA=$$l \
	    $$l spec/accuracy/sweep.lua || exit 1; done

gates: build ## how often a gate passes and fails as it should (minutes)
	@for l in lua5.4 luajit; do $(MAKE) -s --no-print-directory LUA=$$l build \
	  && LUA=$$l sh spec/accuracy/gate.sh || exit 1; done

kills: build ## a sweep killed 30 times and resumed (minutes)
	@LUA=$(LUA) sh spec/accuracy/killed.sh

.PHONY: matrix
matrix: ## the CI matrix of docs/sweeps.md, run here as it is written there
	@sh spec/reliability/matrix.sh

# A Lua 5.4 with counters in its collector, made from its source: LUA_SRC.
COUNTED = build/counted
counted: ## the collector's figures against a Lua that counts (LUA_SRC=folder)
	@test -n "$(LUA_SRC)" || { echo 'make counted LUA_SRC=<source of Lua 5.4>'; \
	  exit 1; }
	@LUA=lua5.4 sh .ci/deps.sh build
	@mkdir -p $(COUNTED)/src
	@lua5.4 spec/support/counting_lua.lua "$(LUA_SRC)" $(COUNTED)/src
	@$(CC) -std=gnu99 -O2 -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Wl,-E \
	  -o $(COUNTED)/lua $(COUNTED)/src/*.c -lm -ldl
	@$(MAKE) -s --no-print-directory LUA=lua5.4 BUILD=$(COUNTED) \
	  LUA_INCDIR=$(COUNTED)/src build >$(COUNTED)/build.log
	@LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' \
	  LUA_CPATH='$(COUNTED)/?.so;;' $(COUNTED)/lua spec/accuracy/counted.lua

story: ## the vector: time for an element with the collector and without
	@$(MAKE) -s --no-print-directory LUA=lua5.4 build
	@for i in 1 2 3; do TARE_LUA=lua5.4 ./tare run examples/vector_bench.lua \
	  --gc-mode generational --quota 2s --format json -o build/story$$i.json \
	  >build/story.log 2>&1 || { cat build/story.log; exit 1; }; done
	@LUA_PATH='./?.lua;lua/?.lua;lua/?/init.lua;;' \
	  LUA_CPATH='build/lua5.4/?.so;;' lua5.4 spec/accuracy/story.lua \
	  build/story[123].json

clean: ## remove everything that was built
	rm -rf build tare

TIDY_FLAGS = -std=c99 -Icsrc -I$(LUA_INCDIR)
