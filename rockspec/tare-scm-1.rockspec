rockspec_format = "3.0"
package = "tare"
version = "scm-1"
source = {
  url = "git+https://example.org/tare.git",
}
description = {
  summary = "Benchmarks for Lua, with the collector's part of every cost",
  detailed = [[
    Measures what a Lua function costs and what of that cost is its own, and
    what the collector's: batches of many sizes, a line fitted through time
    against size, intervals, interleaved comparisons, parameter sweeps, gates
    for CI, reports, and frame statistics for games. A C core does the timing,
    the collector accounting and the mathematics.]],
  license = "MIT",
  labels = { "benchmark", "profiling", "statistics", "testing", "gc" },
}
dependencies = {
  "lua >= 5.1, < 5.6",
  "argparse >= 0.7",
  "luv",
  "lua-cjson",
}
test_dependencies = {
  "busted",
}
build = {
  type = "make",
  build_target = "rock",
  build_variables = {
    CC = "$(CC)",
    CFLAGS = "$(CFLAGS)",
    LUA_INCDIR = "$(LUA_INCDIR)",
  },
  install_target = "rock-install",
  install_variables = {
    INST_LUADIR = "$(LUADIR)",
    INST_LIBDIR = "$(LIBDIR)",
  },
  install = {
    bin = { tare = "lua/tare/cli/bin.lua" },
  },
}
test = {
  type = "busted",
}
