/*
** A host with a loop, a clock and an allocator of its own: an engine that
** gives tare two milliseconds of each frame.
**
**   make amalgam
**   cc -O2 -ffp-contract=off -I/usr/include/lua5.4 -Ibuild/amalgam \
**     examples/embed/host.c build/amalgam/tare.c -llua5.4 -lm -o build/host
**   build/host examples/embed/bench.lua [frames.html]
**
** Each second it draws its overlay, a line on stderr: what its frames took until
** now. All that is known of them is written at the end, if a file is named.
*/
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "tare.h"

#if LUA_VERSION_NUM >= 505 /* which takes the seed of its string hash, too */
#define lua_newstate(f, ud) lua_newstate(f, ud, 1)
#endif

#define FRAME_NS 16666667u /* 60 frames a second */
#define BUDGET_MS 2.0      /* of each, for measuring */

/* What the engine knows; one a state. */
typedef struct engine {
  size_t lua_bytes;  /* in use by the Lua heap */
  size_t tare_bytes; /* in use by tare, outside of it */
  unsigned long frames;
} engine;

/* An allocator that counts; the sizes are what both heaps tell it. */
static void *resize(size_t *in_use, void *block, size_t from, size_t to) {
  void *moved;
  if (to == 0) {
    free(block);
    *in_use -= from;
    return NULL;
  }
  moved = realloc(block, to);
  if (moved != NULL) *in_use += to - from;
  return moved;
}

static void *lua_memory(void *ud, void *block, size_t from, size_t to) {
  engine *e = (engine *)ud;
  return resize(&e->lua_bytes, block, block != NULL ? from : 0, to);
}

static void *tare_memory(void *ud, void *block, size_t from, size_t to) {
  engine *e = (engine *)ud;
  return resize(&e->tare_bytes, block, from, to);
}

static uint64_t engine_clock(void *ud) {
  struct timespec t;
  (void)ud;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void engine_console(void *ud, const char *text, size_t length) {
  (void)ud;
  fwrite(text, 1, length, stdout);
}

/* Sleeps until the next frame is due. */
static void wait_for_frame(uint64_t began_ns) {
  uint64_t spent_ns = engine_clock(NULL) - began_ns;
  struct timespec rest = {0, 0};
  if (spent_ns >= FRAME_NS) return;
  rest.tv_nsec = (long)(FRAME_NS - spent_ns);
  nanosleep(&rest, NULL);
}

static void draw_overlay(const tare_frames *frames, double progress) {
  tare_frames_now now;
  tare_frames_live(frames, &now);
  fprintf(stderr,
          "measuring: %3.0f %% | frame p50 %.2f p99 %.2f longest %.2f ms, "
          "slowest 1 %% %.2f ms; %.0f of %.0f over the budget | Lua %.0f kB\n",
          100.0 * progress, now.p50_ms, now.p99_ms, now.max_ms, now.low1_ms,
          now.over, now.frames, now.heap_bytes / 1024.0);
}

/* The engine's loop, with the session on top of the stack. */
static int run_frames(lua_State *L, engine *e, tare_frames *frames) {
  int status, scope = tare_scope(frames, "tare", 2.0 * BUDGET_MS);
  do {
    uint64_t began_ns = engine_clock(NULL);
    double progress;
    tare_frame_begin(frames);
    /* ... here the game itself is updated and drawn ... */
    tare_scope_begin(frames, scope);
    status = tare_session_step(L, -1, BUDGET_MS, &progress);
    tare_scope_end(frames, scope);
    tare_frame_end(frames);
    if (++e->frames % 60 == 0 && status == TARE_OK)
      draw_overlay(frames, progress);
    wait_for_frame(began_ns);
  } while (status == TARE_OK);
  return status == TARE_DONE ? TARE_OK : status;
}

/* The whole of a file, or NULL; to be freed. */
static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  char *text = (char *)malloc(65536);
  *length = 0;
  if (file != NULL && text != NULL) *length = fread(text, 1, 65536, file);
  if (file != NULL) fclose(file);
  if (file != NULL) return text;
  free(text);
  return NULL;
}

static int write_text(void *ud, const char *text, size_t length) {
  return fwrite(text, 1, length, (FILE *)ud) == length ? TARE_OK : TARE_FAILED;
}

/* The page of the frames, if there is a name for it. */
static int write_page(tare_frames *frames, const char *path) {
  FILE *file = path != NULL ? fopen(path, "wb") : NULL;
  int status = TARE_OK;
  if (file == NULL) return TARE_OK;
  status = tare_frames_write(frames, "html", write_text, file);
  fclose(file);
  return status;
}

/* Measures and prints; after an error the error value is on the stack. */
static int measure(lua_State *L, engine *e, const char *text, size_t length,
                   const char *page) {
  tare_host host;
  tare_frames *frames;
  memset(&host, 0, sizeof host);
  host.now_ns = engine_clock;
  host.alloc = tare_memory;
  host.print = engine_console;
  host.ud = e;
  if (tare_open(L, &host) != TARE_OK) return TARE_FAILED;
  frames = tare_frames_new(L, NULL); /* lives as long as it is on the stack */
  if (frames == NULL) return TARE_FAILED;
  if (tare_session_new(L, text, length, "@bench.lua") != TARE_OK)
    return TARE_FAILED;
  if (run_frames(L, e, frames) != TARE_OK) return TARE_FAILED;
  if (write_page(frames, page) != TARE_OK) return TARE_FAILED;
  if (tare_session_print(L, -1, "text") != TARE_OK) return TARE_FAILED;
  return tare_session_close(L, -1);
}

int main(int argc, char **argv) {
  engine e = {0, 0, 0};
  lua_State *L = lua_newstate(lua_memory, &e);
  size_t length;
  char *text = argc > 1 ? read_file(argv[1], &length) : NULL;
  int status = TARE_FAILED;
  if (L == NULL || text == NULL) {
    fprintf(stderr, "usage: host BENCH.lua [PAGE.html]\n");
  } else {
    luaL_openlibs(L);
    status = measure(L, &e, text, length, argc > 2 ? argv[2] : NULL);
    if (status != TARE_OK) fprintf(stderr, "error: %s\n", lua_tostring(L, -1));
  }
  if (L != NULL) lua_close(L);
  free(text);
  printf("frames: %lu; still in use: %lu + %lu bytes\n", e.frames,
         (unsigned long)e.lua_bytes, (unsigned long)e.tare_bytes);
  return status == TARE_OK ? 0 : 1;
}
