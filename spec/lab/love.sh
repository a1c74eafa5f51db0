#!/bin/sh
# A LOEVE game for minutes, with and without recorder and session in turn.
# Frame times of both, the heap, what the recorder says; then quits at once with
# a session open, so often. Prints; judges nothing. Needs love and xvfb-run.
#   make lab NAME=love [ARGS="300 50"]    seconds, and how often it quits
seconds=${1:-300}
quits=${2:-50}
home=$(mktemp -d)
export HOME="$home" XDG_DATA_HOME="$home" SDL_AUDIODRIVER=dummy
export LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;;"
export LUA_CPATH="$PWD/build/luajit/?.so;;"
timeout $((seconds + 60)) xvfb-run -a love spec/lab/love "$seconds"
clean=0
for _ in $(seq "$quits"); do
  said=$(timeout 60 xvfb-run -a love spec/lab/love quit 2>&1) &&
    [ -z "$said" ] && clean=$((clean + 1))
done
echo "quits clean with a session open: $clean of $quits"
rm -r "$home"
