/*
** What a host may do to tare, as checks of the C interface; built by
** spec/e2e_embed_spec.lua, under sanitizers too. Prints one line, exits 0 if
** all is well.
**   embed_checks threads          two states in two threads measure at once
**   embed_checks close            states are closed in the middle of sessions
**   embed_checks early            the core is there before its host
**   embed_checks refuse FIRST BY  memory is refused from the k-th allocation on
**   embed_checks unopened BY      there is no recorder where tare did not open
**   embed_checks idle             what an open session costs
**   embed_checks batch            what a timed batch allocates in the Lua heap
*/
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
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

static const char SOURCE[] =
    "local tare = ...\n"
    "local suite = tare.suite 'checks'\n"
    "local kept = {}\n" /* or a compiler makes none */
    "suite:bench('tables', { batch = function(n)\n"
    "  for i = 1, n do kept[i % 4 + 1] = { {}, {} } end\n"
    "end })\n"
    "suite:bench('threads', { batch = function(n)\n"
    "  for i = 1, n do kept[i % 4 + 1] = coroutine.create(print) end\n"
    "end })\n"
    "return suite, { quota = '3ms', resamples = 20 }\n";

enum { READING_NS = 30, ALLOCATION_NS = 200 };

typedef struct machine {
  size_t bytes;              /* in use, by both heaps, as they tell it */
  size_t blocks;             /* in use: LuaJIT errs in sizes after a refusal */
  unsigned long granted;     /* allocations and growths since 'armed' */
  unsigned long refuse_from; /* of those; 0: never */
  uint64_t now_ns;
  unsigned long in_heap, at_reading; /* allocations of Lua's; at the last one */
  int in_batch;                      /* whether a batch was seen since then */
  unsigned long batches, in_batches; /* timed ones, and allocations in them */
} machine;

static void *memory(void *ud, void *block, size_t from, size_t to) {
  machine *m = (machine *)ud;
  void *moved;
  if (to == 0) {
    free(block);
    m->bytes -= from;
    if (block != NULL) m->blocks--;
    return NULL;
  }
  if (to > from) m->now_ns += ALLOCATION_NS;
  if (to > from && m->refuse_from > 0 && ++m->granted >= m->refuse_from)
    return NULL;
  moved = realloc(block, to);
  if (moved != NULL) {
    m->bytes += to - from;
    if (block == NULL) m->blocks++;
  }
  return moved;
}

static void *lua_memory(void *ud, void *block, size_t from, size_t to) {
  if (to > 0) ((machine *)ud)->in_heap++;
  return memory(ud, block, block != NULL ? from : 0, to);
}

/* Time passes by readings and allocations: every run does the same. */
static uint64_t ticking(void *ud) {
  return ((machine *)ud)->now_ns += READING_NS;
}

static tare_host host_of(machine *m) {
  tare_host host;
  memset(&host, 0, sizeof host);
  host.alloc = memory;
  host.ud = m;
  return host;
}

/* Opens a session and steps it; at most 'steps' times. */
static int measure(lua_State *L, const tare_host *host, long steps) {
  int status = tare_open(L, host);
  if (status != TARE_OK) return status;
  status = tare_session_new(L, SOURCE, sizeof SOURCE - 1, "=checks");
  while (status == TARE_OK && steps-- > 0)
    status = tare_session_step(L, -1, 0.5, NULL);
  return status;
}

/*
** Without LuaJIT's compiler, which allocates where it will, and does not bear
** it everywhere that memory is refused.
*/
static lua_State *new_state(machine *m) {
  lua_State *L;
  memset(m, 0, sizeof *m);
  L = lua_newstate(lua_memory, m);
  if (L == NULL) return NULL;
  luaL_openlibs(L);
  (void)luaL_dostring(L, "if jit then jit.off() end");
  return L;
}

static void *measure_in_thread(void *result) {
  machine m;
  lua_State *L = new_state(&m);
  tare_host host = host_of(&m);
  int status = measure(L, &host, 100000);
  if (status == TARE_DONE) status = tare_session_report(L, -1, "json");
  lua_close(L);
  *(int *)result = status == TARE_OK && m.bytes == 0;
  return NULL;
}

static int check_threads(void) {
  pthread_t threads[2];
  int results[2] = {0, 0}, i;
  for (i = 0; i < 2; i++)
    if (pthread_create(&threads[i], NULL, measure_in_thread, &results[i]) != 0)
      return 0;
  for (i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("threads: %d of 2 measured\n", results[0] + results[1]);
  return results[0] && results[1];
}

static int check_close(void) {
  int clean = 0;
  long steps;
  for (steps = 0; steps < 25; steps++) {
    machine m;
    lua_State *L = new_state(&m);
    tare_host host = host_of(&m);
    int status = measure(L, &host, steps);
    lua_close(L);
    clean += status != TARE_FAILED && m.bytes == 0;
  }
  printf("close: %d of 25 clean\n", clean);
  return clean == 25;
}

/* What was made before the host had its say goes back to the state's memory. */
static int check_early(void) {
  static const char early[] =
      "early = { core.samples(10), core.pacer(), core.frames(16, 10) }\n"
      "early[3]:scope 'before'";
  static const char late[] =
      "late = { core.samples(10), core.pacer(), core.frames(16, 10) }\n"
      "early[3]:scope 'after' late[3]:scope 'after'";
  machine inside, outside;
  lua_State *L = new_state(&inside);
  tare_host host = host_of(&outside);
  size_t used;
  memset(&outside, 0, sizeof outside);
  lua_pushcfunction(L, luaopen_tare_core);
  lua_call(L, 0, 1);
  lua_setglobal(L, "core");
  if (luaL_dostring(L, early) != 0) return 0;
  if (tare_open(L, &host) != TARE_OK) return 0;
  if (luaL_dostring(L, late) != 0) return 0;
  used = outside.bytes;
  lua_close(L);
  printf("early: %lu + %lu bytes in use\n", (unsigned long)inside.bytes,
         (unsigned long)outside.bytes);
  return used > 0 && inside.bytes == 0 && outside.bytes == 0;
}

/* One run with memory refused; 1: an error value, 0: it was never refused. */
static int run_refused(unsigned long from, int *leaked, int *odd) {
  machine m;
  lua_State *L = new_state(&m);
  tare_host host = host_of(&m);
  int status;
  host.now_ns = ticking;
  m.refuse_from = from;
  status = measure(L, &host, 100000);
  if (status == TARE_DONE) status = tare_session_report(L, -1, "json");
  m.refuse_from = 0;
  if (status == TARE_FAILED && lua_type(L, -1) != LUA_TSTRING) (*odd)++;
  if (status == TARE_FAILED && lua_gettop(L) > 2) {
    (void)tare_session_close(L, -2); /* a broken session can be closed */
    lua_settop(L, 0);
  }
  lua_close(L);
  if (m.blocks != 0) (*leaked)++;
  return status == TARE_FAILED;
}

static int check_refuse(unsigned long first, unsigned long by) {
  unsigned long k, runs = 0;
  int leaked = 0, odd = 0;
  for (k = first; run_refused(k, &leaked, &odd); k += by) runs++;
  printf("refuse: %lu points up to %lu, %d leaks, %d without a message\n", runs,
         k, leaked, odd);
  return runs > 0 && leaked == 0 && odd == 0;
}

/* The same for tare_open alone, after which there can be no recorder. */
static int open_refused(unsigned long from, int *leaked, int *made) {
  machine m;
  lua_State *L = new_state(&m);
  tare_host host = host_of(&m);
  int status;
  m.refuse_from = from;
  status = tare_open(L, &host);
  m.refuse_from = 0;
  if (status == TARE_FAILED && tare_frames_new(L, NULL) != NULL) (*made)++;
  lua_close(L);
  if (m.blocks != 0) (*leaked)++;
  return status == TARE_FAILED;
}

static int check_unopened(unsigned long by) {
  unsigned long k, runs = 0;
  int leaked = 0, made = 0;
  for (k = 1; open_refused(k, &leaked, &made); k += by) runs++;
  printf("unopened: %lu points up to %lu, %d leaks, %d recorders\n", runs, k,
         leaked, made);
  return runs > 0 && leaked == 0 && made == 0;
}

/* Kilobytes in use beyond 'before', in both heaps, without garbage. */
static unsigned long kept_kb(lua_State *L, const machine *m, size_t before) {
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_gc(L, LUA_GCCOLLECT, 0); /* what finalizers let go of */
  return (unsigned long)((m->bytes - before + 1023) / 1024);
}

static int check_idle(void) {
  machine m;
  lua_State *L = new_state(&m);
  tare_host host = host_of(&m);
  size_t before;
  unsigned long tare_kb, idle_kb, most_kb = 0;
  int status;
  host.now_ns = ticking;
  (void)kept_kb(L, &m, 0);
  before = m.bytes;
  if (tare_open(L, &host) != TARE_OK) return 0;
  tare_kb = kept_kb(L, &m, before);
  before = m.bytes;
  if (tare_session_new(L, SOURCE, sizeof SOURCE - 1, "=checks") != TARE_OK)
    return 0;
  idle_kb = kept_kb(L, &m, before);
  do {
    unsigned long kb;
    status = tare_session_step(L, -1, 0.5, NULL);
    kb = kept_kb(L, &m, before);
    if (kb > most_kb) most_kb = kb;
  } while (status == TARE_OK);
  if (status != TARE_DONE) return 0;
  if (tare_session_report(L, -1, "json") != TARE_OK) return 0;
  lua_pop(L, 1); /* the report's text */
  printf("idle: tare %lu kB, a session %lu kB, running %lu kB, reported %lu kB",
         tare_kb, idle_kb, most_kb, kept_kb(L, &m, before));
  (void)tare_session_close(L, -1);
  lua_pop(L, 1);
  printf(", closed %lu kB\n", kept_kb(L, &m, before));
  lua_close(L);
  return m.bytes == 0;
}

/* What 'meter:time' and 'meter:time_calls' are, as C functions. */
static lua_CFunction timers[2];

/*
** Called by a bench: whether the clock runs, which it does where the function
** that called the loop is one of the timers.
*/
static int mark(lua_State *L) {
  machine *m = (machine *)lua_touserdata(L, lua_upvalueindex(1));
  lua_Debug ar;
  if (!lua_getstack(L, 2, &ar)) return 0;
  lua_getinfo(L, "f", &ar);
  if (lua_iscfunction(L, -1) && (lua_tocfunction(L, -1) == timers[0] ||
                                 lua_tocfunction(L, -1) == timers[1]))
    m->in_batch = 1;
  return 0;
}

/* A reading of the clock, before or after a batch, or anywhere else. */
static uint64_t marked(void *ud) {
  machine *m = (machine *)ud;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (m->in_batch) {
    m->batches++;
    m->in_batches += m->in_heap - m->at_reading;
  }
  m->in_batch = 0;
  m->at_reading = m->in_heap;
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const char TIMERS[] =
    "local methods = getmetatable((...).meter()).__index\n"
    "return methods.time, methods.time_calls\n";

static const char MARKED[] =
    "local tare, suite = ..., nil\n"
    "suite = tare.suite 'marked'\n"
    "suite:bench('bench', { run = mark, batch = loop, loop = kind,\n"
    "  before_each = each })\n"
    "return suite, { quota = '20ms', resamples = 20, gc = gc }\n";

/* Sets what MARKED reads: 'setup' is Lua that says what the bench is. */
static int measure_marked(const char *setup, machine *m) {
  lua_State *L = new_state(m);
  tare_host host = host_of(m);
  int status;
  host.now_ns = marked;
  lua_pushlightuserdata(L, m);
  lua_pushcclosure(L, mark, 1);
  lua_setglobal(L, "mark");
  status = tare_open(L, &host);
  if (luaL_loadstring(L, TIMERS) != 0 || luaopen_tare_core(L) != 1 ||
      lua_pcall(L, 1, 2, 0) != 0 || luaL_dostring(L, setup))
    status = TARE_FAILED;
  timers[0] = lua_tocfunction(L, 2);
  timers[1] = lua_tocfunction(L, 3);
  if (status == TARE_OK)
    status = tare_session_new(L, MARKED, sizeof MARKED - 1, "=marked");
  while (status == TARE_OK) status = tare_session_step(L, -1, 2.0, NULL);
  if (status != TARE_DONE) printf("%s\n", lua_tostring(L, -1));
  lua_close(L);
  return status == TARE_DONE;
}

static int check_batch(void) {
  static const char *const quiet[] = {
      "kind = 'inline'",
      "kind = 'call'",
      "local m = mark; mark, loop = nil, function(n) m() end",
      "each = function() return {} end",
      "gc = 'stopped'",
      "gc = 'collect'",
      "gc = 'arms'",
  };
  static const char loud[] = "local m, kept = mark, {}; mark, loop = nil,"
                             "function(n) m() for i = 1, n do kept[1] = {} end "
                             "end";
  unsigned long batches = 0;
  machine m;
  size_t i;
  for (i = 0; i < sizeof quiet / sizeof *quiet; i++) {
    if (!measure_marked(quiet[i], &m) || m.batches < 1 || m.in_batches > 0) {
      printf("batch: %s: %lu allocations in %lu\n", quiet[i], m.in_batches,
             m.batches);
      return 0;
    }
    batches += m.batches;
  }
  if (batches < 3 * i) return 0; /* a few of each kind */
  if (!measure_marked(loud, &m) || m.in_batches < m.batches) return 0;
  printf("batch: 0 allocations in %lu timed batches of %lu kinds\n", batches,
         (unsigned long)i);
  return 1;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int ok = 0;
  if (strcmp(what, "threads") == 0) ok = check_threads();
  if (strcmp(what, "close") == 0) ok = check_close();
  if (strcmp(what, "early") == 0) ok = check_early();
  if (strcmp(what, "idle") == 0) ok = check_idle();
  if (strcmp(what, "batch") == 0) ok = check_batch();
  if (strcmp(what, "refuse") == 0 && argc > 3)
    ok = check_refuse(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
  if (strcmp(what, "unopened") == 0 && argc > 2)
    ok = check_unopened(strtoul(argv[2], NULL, 10));
  return ok ? 0 : 1;
}
