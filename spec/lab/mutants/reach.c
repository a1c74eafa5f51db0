/*
** Which lines of lua/tare an interpreter executes, its children too: marked in a
** file that they share. LUA_INIT loads it; REACH_FILES names the files, one a
** line, and REACH_OUT the file of marks, a byte for each of LINES lines a file.
*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINES 2048
#define FILES 512
#define SLOTS 4096

static unsigned char *marks;
static char files[FILES][80];
static int count;
/* What was found before, by the address of a chunk's name. */
static const char *names[SLOTS];
static int found[SLOTS];

static int index_of(const char *name) {
  size_t slot = ((size_t)name >> 4) % SLOTS;
  const char *path;
  int i;
  if (names[slot] == name) return found[slot];
  names[slot] = name, found[slot] = -1;
  path = strstr(name, "lua/tare/");
  if (*name != '@' || !path) return -1;
  for (i = 0; i < count; i++)
    if (strcmp(files[i], path) == 0) found[slot] = i;
  return found[slot];
}

static void hook(lua_State *L, lua_Debug *ar) {
  int i;
  lua_getinfo(L, "S", ar);
  i = index_of(ar->source);
  if (i >= 0 && ar->currentline > 0 && ar->currentline < LINES)
    marks[i * LINES + ar->currentline] = 1;
}

int luaopen_reach(lua_State *L) {
  FILE *list = fopen(getenv("REACH_FILES"), "r");
  int fd = open(getenv("REACH_OUT"), O_RDWR | O_CREAT, 0666);
  if (!list || fd < 0 || ftruncate(fd, FILES * LINES) != 0) return 0;
  while (count < FILES && fscanf(list, "%79s", files[count]) == 1) count++;
  fclose(list);
  marks = mmap(NULL, FILES * LINES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (marks != MAP_FAILED) lua_sethook(L, hook, LUA_MASKLINE, 0);
  return 0;
}
