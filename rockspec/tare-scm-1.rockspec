rockspec_format = "3.0"
package = "tare"
version = "scm-1"
source = { url = "git+https://example.invalid/tare.git" }
description = {
  summary = "Benchmarks with collector accounting, for Lua",
  license = "MIT",
}
dependencies = { "lua >= 5.1, < 5.5" }
build = { type = "builtin", modules = {} }
