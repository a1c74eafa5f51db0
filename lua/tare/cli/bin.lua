#!/usr/bin/env lua
-- The command `tare`.
os.exit(require("tare.cli").main(arg), true)
