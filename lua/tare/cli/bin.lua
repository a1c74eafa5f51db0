#!/usr/bin/env lua
-- The command `tare`. Installed into a tree that this Lua does not look into
-- (luarocks --tree), it finds its modules beside itself.
local PLACE = "^(.*)/lib/luarocks/rocks%-([%d.]+)/"
local tree, version = (arg[0] or ""):match(PLACE)
if tree then
  local share = ("%s/share/lua/%s/"):format(tree, version)
  package.path = ("%s?.lua;%s?/init.lua;%s"):format(share, share, package.path)
  package.cpath = ("%s/lib/lua/%s/?.so;%s"):format(tree, version,
    package.cpath)
end
local cli = require "tare.cli"
cli.exit(cli.main(arg))
