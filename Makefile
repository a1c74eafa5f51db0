# tare: build, test, install. 'make help' lists the targets.
LUA ?= lua5.4
PREFIX ?= /usr/local
CC ?= cc
OPT ?= -O2
WARN = -std=c99 -Wall -Wextra -pedantic -Wshadow -Wstrict-prototypes
SANITIZE ?=

# An interpreter that is given by its path has a folder that is named after it:
# build/opt-own-lua5.4 (as in .ci/tare.in and lua/tare/conductor/launch.lua).
by_path = $(findstring /,$(LUA))
BUILD ?= build/$(if $(by_path),$(subst /,-,$(patsubst \
  /%,%,$(realpath $(dir $(LUA)))/$(notdir $(LUA)))),$(LUA))

# Headers and libraries are named after the version, which not every name says.
lua_name := $(or $(if $(findstring luajit,$(LUA)),luajit-2.1),\
  $(filter lua5.%,$(LUA)),$(shell $(LUA) -e 'print(jit and "luajit-2.1" or \
  "lua" .. _VERSION:match "[%d.]+")' 2>/dev/null))
LUA_INCDIR ?= $(patsubst %/lua.h,%,$(firstword $(wildcard \
  $(foreach d,$(if $(by_path),$(dir $(LUA))../include) /usr/include \
  /usr/local/include /opt/homebrew/include,$(d)/$(lua_name)/lua.h) \
  $(if $(by_path),$(dir $(LUA))../include/lua.h))))
VERSION = $(shell sed -n 's/.*TARE_VERSION "\(.*\)"/\1/p' csrc/tare.h)
UNAME := $(shell uname -s)
SHARED = $(if $(filter Darwin,$(UNAME)),-bundle -undefined dynamic_lookup,\
  -shared -Wl,-z,relro,-z,now -Wl,-z,defs -Wl,--unresolved-symbols=ignore-all)

LIBS = -lm $(if $(filter Linux,$(UNAME)),-ldl -lrt)

CORE = $(BUILD)/tare/core.so
# Only valgrind's process loads it (--machine-instructions), on Linux.
SEED = $(if $(filter Linux,$(UNAME)),$(BUILD)/tare/fixed_seed.so)
SRC = $(wildcard csrc/*/*.c)
OBJ = $(SRC:csrc/%.c=$(BUILD)/obj/%.o)
AMALGAM = build/amalgam/tare.c
DEPS = LUA=$(LUA) LUA_INCDIR=$(LUA_INCDIR) sh .ci/deps.sh
# No contraction to fused multiply-add, which rounds otherwise where there is one.
CFLAGS_ALL = $(WARN) $(OPT) -ffp-contract=off $(SANITIZE) -fPIC \
  -fvisibility=hidden -Icsrc -MMD -MP $(CFLAGS)

.PHONY: help build compile hosts demo test versions asan asan-build valgrind fuzz lint \
  format tidy layers words amalgam amalgam-check packages dist windows windows-objects windows-core systems \
  wine docs plots check install uninstall clean rock rock-install bench lab \
  accuracy counted story mutants memory kills gates scale sweep

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

# A second make looks for the headers, which the first may just have installed.
build: ## compile the core and link ./tare
	@$(DEPS) build
	@$(MAKE) --no-print-directory compile
compile:
	@test -f "$(LUA_INCDIR)/lua.h" || { echo 'no lua.h of $(LUA) is here:' \
	  'make build LUA=$(LUA) LUA_INCDIR=<its folder>' >&2; exit 1; }
	@$(MAKE) --no-print-directory $(CORE) $(SEED) build/bin/tare

$(CORE): $(OBJ)
	@mkdir -p $(@D)
	@echo '  link $@'; $(CC) $(SHARED) $(SANITIZE) -o $@ $(OBJ) $(LIBS)

$(BUILD)/tare/fixed_seed.so: csrc/fixed_seed.c
	@mkdir -p $(@D)
	@echo '  link $@'; $(CC) $(WARN) $(OPT) -fPIC -shared -o $@ $<

# The pure and platform layers must not see Lua: no include path for them.
SEES_LUA = -I$(LUA_INCDIR)
$(BUILD)/obj/pure/%.o $(BUILD)/obj/platform/%.o: SEES_LUA =
$(BUILD)/obj/%.o: csrc/%.c
	@mkdir -p $(@D)
	@echo '  cc $<'; $(CC) $(CFLAGS_ALL) $(SEES_LUA) -c -o $@ $<
-include $(OBJ:.o=.d)

# An interpreter of --lua may have a core of other sources, by which the core knows
# itself.
C_FILES = $(sort $(wildcard csrc/*.h csrc/*/*.[ch]))
$(BUILD)/obj/bind/core.o: $(C_FILES)
$(BUILD)/obj/bind/core.o: CFLAGS_ALL += -DTARE_SOURCES='"$(firstword \
  $(shell cat $(C_FILES) | cksum))"'

# Host programs for specs, where there is a Lua to link with; some are built by
# specs, from the amalgamation.
HOST_LIB = -l$(patsubst luajit-2.1,luajit-5.1,$(lua_name))
hosts: $(BUILD)/hosts/host $(AMALGAM)
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
	@$(DEPS) test $(if $(CI),e2e)
	@$(MAKE) --no-print-directory LUA=lua5.4 build hosts
	@$(MAKE) --no-print-directory LUA=luajit build hosts
	@sh .ci/specs.sh lua5.4 luajit

# Lua 5.5 is built from its source (LUA55_SRC) where it is not installed. It is
# among the versions where there is one or the other.
LUA55_SRC ?= $(wildcard ../shared/lua/lua-5.5.0)
HAS_5_5 = $(or $(LUA55_SRC),$(shell command -v lua5.5))
VERSIONS ?= lua5.1 lua5.2 lua5.3 $(if $(HAS_5_5),lua5.5)
versions: ## the specs on lua5.1, 5.2, 5.3 and, where its source is, 5.5
	@$(if $(HAS_5_5),,echo 'Lua 5.5 is left out: there is no lua5.5 here, and no' \
	  'source of it (LUA55_SRC=FOLDER)')
	@$(DEPS) test versions $(if $(CI),e2e)
	@sh .ci/versions.sh "$(LUA55_SRC)" $(VERSIONS)

ASAN = -fsanitize=address,undefined -fno-omit-frame-pointer \
  -fno-sanitize-recover=undefined -g
# Not those that build or start other programs: a preloaded sanitizer is not for
# them (spec/e2e_embed_spec.lua builds its host with sanitizers itself), nor what
# runs no C of ours (amalgam_spec.lua). Nor the manual's: its verdicts need more
# than what 30 ms hold at a third of the speed. Hostile benches pass there, in five
# minutes, but break Lua's side of their own process. What the command line and the
# analysis reach in C they reach in the same way on either Lua.
ASAN_WITHOUT = */amalgam_* */e2e_docs_* */e2e_html_* */e2e_games_* \
  */e2e_hostile_* */e2e_install_* */e2e_embed_* */e2e_kills_* */e2e_machine_* \
  */conductor_callgrind_* \
  $(foreach part,e2e analysis report judge store base cli sweep,luajit/$(part)_*)
asan-build: # for one Lua
	@$(MAKE) --no-print-directory LUA=$(LUA) BUILD=build/asan-$(LUA) OPT=-O1 \
	  SANITIZE='$(ASAN)' build hosts
asan: ## the specs under the address and undefined-behaviour sanitizers
	@$(DEPS) test
	@for l in lua5.4 luajit lua5.1; do \
	  $(MAKE) --no-print-directory LUA=$$l asan-build || exit 1; done
	@LD_PRELOAD="$$($(CC) -print-file-name=libasan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 BUILD_PREFIX=build/asan- \
	  WITHOUT="$(ASAN_WITHOUT)" sh .ci/specs.sh lua5.4 luajit
	@LD_PRELOAD="$$($(CC) -print-file-name=libasan.so)" \
	  ASAN_OPTIONS=detect_leaks=0 BUILD_PREFIX=build/asan- \
	  SPECS=spec/c_hosts_spec.lua sh .ci/specs.sh lua5.1

# libFuzzer comes with clang; the core is compiled into the fuzzer. What is
# compared with what in C tells nothing of Lua, and makes numbers three times as
# slow. FUZZ_SANITIZE=undefined is twice as fast where C is not what is in doubt.
SECONDS ?= 600
FUZZ_SANITIZE ?= address,undefined
fuzz: ## stored reports, command lines, options, numbers: SECONDS=600 each
	@$(DEPS) test fuzz
	@mkdir -p build/fuzz
	@clang -std=c99 -O2 -g -fsanitize=fuzzer,$(FUZZ_SANITIZE) \
	  -fno-sanitize-coverage=trace-cmp -fno-sanitize-recover=undefined -Icsrc -I$(LUA_INCDIR) \
	  -o build/fuzz/fuzz spec/fuzz/fuzz.c \
	  $(filter-out csrc/embed/%,$(SRC)) -llua5.4 -lm -ldl
	@sh spec/fuzz/run.sh $(SECONDS)

# What the specs themselves do, not the programs that some of them start.
VALGRIND_WITHOUT = */e2e_* */amalgam_* */c_coverage_* */c_hosts_* */examples_*
valgrind: ## the specs under valgrind's memcheck (a quarter of an hour)
	@$(DEPS) test valgrind
	@$(MAKE) --no-print-directory LUA=lua5.4 build
	@WITHOUT="$(VALGRIND_WITHOUT)" sh .ci/specs.sh --valgrind lua5.4

lint: format tidy layers words ## luacheck, clang-format, clang-tidy, layers
	@$(DEPS) lint
	@luacheck -q $(wildcard lua spec examples) rockspec/*.rockspec >build/luacheck.log || \
	  { cat build/luacheck.log; exit 1; }

format:
	@$(DEPS) lint
	@clang-format --dry-run -Werror csrc/*.[ch] $(SRC) $(wildcard csrc/*/*.h) \
	  $(wildcard spec/bench/*.[ch] spec/support/hosts/*.c spec/fuzz/*.c)

tidy:
	@$(DEPS) lint build
	@mkdir -p build
	@printf '%s\n' $(SRC) | xargs -P 4 -n 4 sh -c \
	  'clang-tidy --quiet "$$@" -- -std=c99 -Icsrc -I$(LUA_INCDIR)' _ >build/tidy.log 2>&1 || \
	  { cat build/tidy.log; exit 1; }

layers:
	@$(DEPS) build
	@$(LUA) spec/support/layers.lua

# Phrases that docs/glossary.md and plain English replace; WORDS=report only lists
# them.
WORDS ?= fail
words:
	@$(DEPS) build
	@$(LUA) spec/support/words.lua $(WORDS)

$(AMALGAM): $(SRC) $(wildcard csrc/*.h csrc/*/*.h) $(shell find lua -name '*.lua') \
  spec/support/amalgam.lua spec/support/pack.lua
	@mkdir -p $(@D)
	@echo '  pack $@'; LUA_PATH='./?.lua;;' $(LUA) spec/support/amalgam.lua $(@D)
amalgam: ## build/amalgam/tare.c and tare.h: the library as two files
	@$(DEPS) build
	@$(MAKE) --no-print-directory $(AMALGAM)
	@wc -c $(AMALGAM) $(AMALGAM:.c=.h)

dist: ## build/tare-VERSION.tar.gz, and the rockspec that builds from it
	@mkdir -p build
	@sh .ci/dist.sh $(VERSION)

# Windows' part can't be run here; that it compiles, in full and without
# warnings, can be seen. mingw-w64 takes 20 s to install and 4 s to compile.
# CFLAGS_ALL on the command line replaces all flags, those of bind/core.o too.
MINGW ?= x86_64-w64-mingw32-gcc
WINDOWS_FLAGS = $(WARN) -Werror $(OPT) -ffp-contract=off -Icsrc -MMD
windows-objects:
	@$(MAKE) --no-print-directory BUILD=build/windows CC='$(MINGW)' \
	  CFLAGS_ALL='$(WINDOWS_FLAGS)' $(SRC:csrc/%.c=build/windows/obj/%.o) >/dev/null
# WINDOWS_LUA: the Lua to link with, a DLL or -lNAME.
windows-core: windows-objects
	@mkdir -p build/windows/tare
	@$(MINGW) -shared -o build/windows/tare/core.dll \
	  $(SRC:csrc/%.c=build/windows/obj/%.o) $(WINDOWS_LUA) -lm
windows: ## compile the C sources for Windows, with mingw-w64
	@$(DEPS) build windows
	@$(MAKE) --no-print-directory -j 4 windows-objects

# Systems that are emulated, or run beside this one. Of these only Wine is part of
# 'make check'.
LUA54_SRC ?= $(wildcard ../shared/lua/lua-5.4.8)
SYSTEMS ?= wine musl i386 armhf
systems: ## the specs under Wine, with musl, on 32 bits and ARM: SYSTEMS='...'
	@test -n "$(LUA54_SRC)" || { echo 'where is the source of Lua 5.4?' \
	  'make systems LUA54_SRC=FOLDER' >&2; exit 1; }
	@$(DEPS) build test $(SYSTEMS)
	@sh .ci/systems.sh "$(abspath $(LUA54_SRC))" $(SYSTEMS)

wine: ## the specs under Wine, where the source of Lua 5.4 is
	@$(if $(LUA54_SRC),$(MAKE) --no-print-directory systems SYSTEMS=wine,\
	  echo 'Wine is left out: there is no source of Lua 5.4 here (LUA54_SRC=FOLDER)')

amalgam-check: amalgam ## the two files with every Lua, gcc and clang; packages
	@$(DEPS) amalgam
	@sh .ci/amalgam.sh build/amalgam $(abspath $(LUA55_SRC))
	@$(MAKE) --no-print-directory packages
	@sh .ci/packages.sh check build

packages: amalgam ## build/packages: for CMake, Meson, vcpkg, Conan, Defold, LOEVE
	@$(DEPS) amalgam
	@sh .ci/packages.sh make build $(VERSION)
	@ls build/packages

docs: ## the reference, build/docs/index.html; fails on what is not described
	@$(DEPS) build docs
	@rm -rf build/docs build/docs-in && mkdir -p build/docs-in
	@LUA_PATH='./?.lua;;' $(LUA) spec/support/reference.lua build/docs-in
	@ldoc -q --fatalwarnings -c .ci/config.ld -d build/docs build/docs-in \
	  >build/docs.log 2>&1 || { cat build/docs.log; exit 1; }
	@echo 'build/docs/index.html'

plots: build ## the pictures of the guide, docs/img, from runs made now
	@mkdir -p docs/img
	@LUA_PATH='lua/?.lua;lua/?/init.lua;;' LUA_CPATH='$(BUILD)/?.so;;' \
	  $(LUA) spec/support/plots.lua docs/img

# No spec waits for a tool that can be installed: they are installed here.
check: ## what CI runs: lint, docs, every spec on every Lua, sanitizers
	@$(DEPS) lint docs windows amalgam test versions e2e $(if $(LUA54_SRC),wine)
	@CI=true sh .ci/check.sh lint docs windows amalgam-check wine test versions asan

install: build ## into PREFIX, beside what is there for other Luas
	@sh .ci/install.sh install "$(LUA)" "$(abspath $(PREFIX))" "$(BUILD)"

uninstall: ## out of PREFIX again
	@sh .ci/install.sh uninstall "$(LUA)" "$(abspath $(PREFIX))" "$(BUILD)"

# What the rockspec calls; LuaRocks says where, and with which Lua.
rock:
	@rm -rf build/rock
	@$(MAKE) --no-print-directory -j 4 BUILD=build/rock build/rock/tare/core.so \
	  $(if $(SEED),build/rock/tare/fixed_seed.so)

rock-install:
	@mkdir -p "$(INST_LUADIR)" "$(INST_LIBDIR)/tare"
	@cp -R lua/tare "$(INST_LUADIR)/"
	@cp build/rock/tare/*.so "$(INST_LIBDIR)/tare/"

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

# Experiments: spec/lab/NAME.sh or .lua, with ARGS.
lab: ## experiments, NAME=... ARGS='...'; without a name: their list
	@$(DEPS) build
	@sh .ci/lab.sh $(NAME) $(ARGS)
accuracy counted story mutants memory kills gates scale sweep:
	@sh .ci/lab.sh $@ $(ARGS)

clean: ## remove everything that was built
	rm -rf build tare
