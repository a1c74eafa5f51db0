std = "max"
max_line_length = 80
exclude_files = { "build" }
files["spec"] = { std = "+busted" }
files["examples/love"] = { std = "+love" }
files["examples/nvim"] = { globals = { "vim" } }
-- What editors and the reference read: functions without bodies.
files["lua/tare/meta"] = { ignore = { "212", "241", "221", "211" } }
files["spec/lab/love"] = { std = "+love" }
