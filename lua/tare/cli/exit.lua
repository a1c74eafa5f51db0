-- The exit codes of the command, as its manual lists them.
return {
  done = 0,
  unusable = 1, -- wrong use; or what was asked for can't be judged or stored
  failed = 2, -- a bench failed
  gates = 3, -- a gate failed
  interrupted = 130,
}
