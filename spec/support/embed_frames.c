/*
** Frames through the C interface; built by spec/e2e_embed_frames_spec.lua, under
** sanitizers too. Prints what it found, exits 0 if nothing was lost.
**   embed_frames record   a made-up clock: what is recorded, and what refused
**   embed_frames write    what is written and streamed, in each format
**   embed_frames refuse   memory is refused from the k-th allocation on
**   embed_frames misuse   NULL, and values that are something else
**   embed_frames policy   frames that make garbage, under each policy
**   embed_frames paced    the same, the collector's steps run and timed by tare
**   embed_frames cost     nanoseconds per frame, by the system's clock
*/
#define _POSIX_C_SOURCE 200809L
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

typedef struct machine {
  size_t bytes;          /* in use */
  unsigned long granted; /* allocations and growths */
  unsigned long refuse_from;
  uint64_t now_ns;
} machine;

static void *memory(void *ud, void *block, size_t from, size_t to) {
  machine *m = (machine *)ud;
  void *moved;
  if (block == NULL) from = 0;
  if (to == 0) {
    free(block);
    m->bytes -= from;
    return NULL;
  }
  if (to > from) m->granted++;
  if (to > from && m->refuse_from > 0 && m->granted >= m->refuse_from)
    return NULL;
  moved = realloc(block, to);
  if (moved != NULL) m->bytes += to - from;
  return moved;
}

static uint64_t made_up(void *ud) {
  return ((machine *)ud)->now_ns;
}

static lua_State *new_state(machine *m, int is_made_up) {
  tare_host host;
  lua_State *L;
  memset(&host, 0, sizeof host);
  host.alloc = memory;
  host.ud = m;
  if (is_made_up) host.now_ns = made_up;
  L = lua_newstate(memory, m);
  if (L == NULL) exit(3);
  luaL_openlibs(L);
  if (tare_open(L, &host) != TARE_OK) exit(4);
  return L;
}

static void failed(const tare_frames *frames, int status) {
  printf("%d: %s\n", status, tare_frames_message(frames));
}

/* 36,000 frames of 8 ms, each thousandth with 92 ms of 'ai' more. */
static int check_record(void) {
  static const char script[] =
      "local said = frames:result()\n"
      "local ai = said.scopes[2]\n"
      "return ('%d frames, %d over, max %g, %d stutters, best run %d; %s: %d '"
      "  .. 'over, worst in %s; %s: %d over'):format(said.frames,\n"
      "  said.over.frames, said.max, said.stutters.frames,\n"
      "  said.best_run.frames, ai.name, ai.over.frames,\n"
      "  said.worst[1].scope, said.marks[2].name,\n"
      "  said.marks[2].over * said.marks[2].frames)";
  machine m = {0, 0, 0, 1000};
  lua_State *L = new_state(&m, 1);
  tare_frames_options options = {16.67, 100, 0};
  tare_frames *frames = tare_frames_new(L, &options);
  tare_frames_now now;
  unsigned long before;
  int update, ai, i;
  if (frames == NULL) return 0;
  lua_setglobal(L, "frames");
  update = tare_scope(frames, "update", 10.0);
  ai = tare_scope(frames, "ai", 2.0);
  before = m.granted;
  tare_frames_mark(frames, "menu");
  for (i = 1; i <= 36000; i++) {
    if (i == 30001) tare_frames_mark(frames, "level 1");
    tare_frame_begin(frames);
    tare_scope_begin(frames, update);
    m.now_ns += 7000000;
    tare_scope_begin(frames, ai);
    m.now_ns += i % 1000 == 0 ? 93000000 : 1000000;
    tare_scope_end(frames, ai);
    tare_scope_end(frames, update);
    if (tare_frame_end(frames) != TARE_OK) return 0;
  }
  tare_frames_live(frames, &now);
  printf("allocations: %lu\n", m.granted - before);
  printf("live: %g frames, %g over, p50 %.1f, max %g\n", now.frames, now.over,
         now.p50_ms, now.max_ms);
  if (luaL_dostring(L, script) != LUA_OK) return 0;
  printf("%s\n", lua_tostring(L, -1)); /* stays there, on the module */

  /* What does not match is refused, and the next frame is sound. */
  failed(frames, tare_frame_end(frames));
  tare_frame_begin(frames);
  tare_scope_begin(frames, update);
  failed(frames, tare_scope_end(frames, ai));
  failed(frames, tare_scope(frames, "ai", -1.0));
  failed(frames, tare_frame_end(frames));
  tare_scope_end(frames, update);
  m.now_ns += 3000000;
  if (tare_frame_finish(frames, 2000000) != TARE_OK) return 0;
  failed(frames, tare_scope_end(frames, ai));
  failed(frames, tare_frame_push(frames, 5000000, 1000000));
  failed(frames, tare_frame_push(frames, (uint64_t)0 - 5, 0));
  if (luaL_dostring(L, "return 'collector: at most '\n"
                       "  .. frames:result().collector.max .. ' ms'") != LUA_OK)
    return 0;
  printf("%s\n", lua_tostring(L, -1));
  lua_pop(L, 1);
  tare_scope(frames, "ai", 0.0); /* has no budget any more */
  if (luaL_dostring(L, "local ai = frames:record().scopes[2]\n"
                       "return ('scope %s: budget %s'):format(ai.name,\n"
                       "  tostring(ai.budget_ns))") != LUA_OK)
    return 0;
  printf("%s\n", lua_tostring(L, -1));
  lua_pop(L, 1);
  tare_frames_live(frames, &now);
  printf("pushed: %g frames, %d on the stack\n", now.frames, lua_gettop(L) - 2);
  for (i = 2; i < 64; i++)
    if (tare_frames_mark(frames, "more") != TARE_OK) return 0;
  failed(frames, tare_frames_mark(frames, "too many"));
  tare_frame_begin(frames);
  failed(frames, tare_frame_end(frames));
  lua_close(L);
  printf("still in use: %lu bytes\n", (unsigned long)m.bytes);
  return m.bytes == 0;
}

/* Each allocation of a recorder and its scope in turn is refused. */
static int check_refuse(void) {
  unsigned long k;
  for (k = 1; k < 1000; k++) {
    machine m = {0, 0, 0, 1000};
    lua_State *L = new_state(&m, 1);
    tare_frames *frames;
    int top = lua_gettop(L), done;
    m.granted = 0;
    m.refuse_from = k;
    frames = tare_frames_new(L, NULL);
    done = frames != NULL && tare_scope(frames, "ai", 2.0) >= 0;
    if (lua_gettop(L) != top + 1) return 0;
    if (frames != NULL) {
      tare_frame_begin(frames);
      if (tare_frame_end(frames) != TARE_OK) return 0;
    }
    m.refuse_from = 0;
    lua_close(L);
    if (m.bytes != 0) return 0;
    if (!done) continue;
    printf("refuse: %s, no leak\n", k > 3 ? "some points" : "too few");
    return 1;
  }
  return 0;
}

/* Text that is written: its size and last byte, and the frames in it. */
typedef struct sheet {
  size_t bytes, parts, longest;
  unsigned long frames;
  char last;
  int refuse; /* from which part on; 0: none */
} sheet;

static int write_sheet(void *ud, const char *text, size_t length) {
  sheet *s = (sheet *)ud;
  size_t i;
  if (s->refuse > 0 && s->parts + 1 >= (size_t)s->refuse) return TARE_FAILED;
  for (i = 0; i + 14 < length; i++)
    if (memcmp(text + i, "\"name\":\"frame\"", 14) == 0) s->frames++;
  s->parts++;
  s->bytes += length;
  if (length > s->longest) s->longest = length;
  s->last = text[length - 1];
  return TARE_OK;
}

/* Everything is written in each format, and streamed for long. */
static int check_write(void) {
  static const char *const formats[] = {"json",     "html", "text",
                                        "markdown", "csv",  "perfetto"};
  machine m = {0, 0, 0, 1000};
  lua_State *L = new_state(&m, 1);
  tare_frames *frames = tare_frames_new(L, NULL);
  int ai, i, top = lua_gettop(L);
  sheet all = {0, 0, 0, 0, 0, 0}, cut = {0, 0, 0, 0, 0, 2};
  unsigned long before;
  if (frames == NULL) return 0;
  if (tare_frames_write(frames, "json", write_sheet, &all) == TARE_OK) return 0;
  printf("%s\n", lua_tostring(L, -1));
  lua_pop(L, 1);
  failed(frames, tare_frames_stream(frames, "xml", write_sheet, &all));
  failed(frames, tare_frames_stream_end(frames));
  if (tare_frames_stream(frames, "perfetto", write_sheet, &all) != TARE_OK)
    return 0;
  failed(frames, tare_frames_stream(frames, "csv", write_sheet, &all));
  ai = tare_scope(frames, "a \"i\"", 2.0);
  before = m.granted;
  for (i = 1; i <= 100000; i++) {
    tare_frame_begin(frames);
    tare_scope_begin(frames, ai);
    m.now_ns += 5000000;
    tare_scope_end(frames, ai);
    m.now_ns += 5000000;
    if (tare_frame_end(frames) != TARE_OK) return 0;
  }
  before = m.granted - before;
  if (tare_frames_stream_end(frames) != TARE_OK) return 0;
  printf("streamed: %lu frames, %s, %s, %lu allocations\n", all.frames,
         all.longest <= 16384 ? "small parts" : "large parts",
         all.last == '\n' ? "ended" : "open", before);
  for (i = 0; i < 6; i++) {
    sheet one = {0, 0, 0, 0, 0, 0};
    if (tare_frames_write(frames, formats[i], write_sheet, &one) != TARE_OK)
      return 0;
    printf("%s: %s\n", formats[i], one.bytes > 500 ? "written" : "short");
  }
  if (tare_frames_write(frames, "xml", write_sheet, &all) == TARE_OK) return 0;
  lua_pop(L, 1);
  if (tare_frames_stream(frames, "csv", write_sheet, &cut) != TARE_OK) return 0;
  for (i = 0; i < 1000 && tare_frames_message(frames)[0] == '\0'; i++)
    tare_frame_push(frames, 5000000, 0);
  printf("in a frame: %s\n", tare_frames_message(frames));
  failed(frames, tare_frames_stream_end(frames));
  if (tare_frames_stream(frames, "csv", write_sheet, &cut) != TARE_OK) return 0;
  if (lua_gettop(L) != top) return 0;
  lua_close(L); /* with a stream open */
  printf("still in use: %lu bytes\n", (unsigned long)m.bytes);
  return m.bytes == 0;
}

/* Says what a call returned, and of a failure the error value. */
static void said(lua_State *L, const char *what, int status) {
  printf("%s: %d", what, status);
  if (status == TARE_FAILED) {
    printf(" %s", lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  printf("\n");
}

static int check_null(tare_frames *frames, int has_frames) {
  sheet all = {0, 0, 0, 0, 0, 0};
  tare_frames_now now;
  tare_frame_begin(frames);
  printf("scope %d", tare_scope(frames, NULL, 1.0));
  printf(", %s\n", tare_frames_message(frames));
  printf("mark %d", tare_frames_mark(frames, NULL));
  printf(", %s\n", tare_frames_message(frames));
  failed(frames, tare_scope_begin(frames, -1));
  failed(frames, tare_scope_end(frames, -1));
  if ((tare_frame_end(frames) == TARE_OK) != has_frames) return 0;
  tare_frame_push(frames, 1000, 0);
  tare_frames_live(frames, &now);
  printf("%g frames, p50 %s\n", now.frames, now.p50_ms >= 0 ? "known" : "-");
  failed(frames, tare_frames_stream(frames, "csv", NULL, NULL));
  failed(frames, tare_frames_stream(frames, NULL, write_sheet, &all));
  failed(frames, tare_frames_stream_end(frames));
  printf("written: %d\n", tare_frames_write(frames, NULL, write_sheet, &all));
  return 1;
}

/* A recorder that a script has closed, of which the host can't know. */
static int check_closed(lua_State *L) {
  tare_frames *frames = tare_frames_new(L, NULL);
  if (frames == NULL) return 0;
  lua_setglobal(L, "recorder");
  if (luaL_dostring(L, "recorder:__gc()") != 0) return 0;
  if (!check_null(frames, 0)) return 0;
  printf("%s\n", lua_tostring(L, -1));
  lua_pop(L, 1);
  return 1;
}

/* What is not what a function takes gets a message, and harms nothing. */
static int check_misuse(void) {
  static const char source[] =
      "local tare = ... local suite = tare.suite 'words'\n"
      "suite:bench('fine', function() return {} end)\n"
      "suite:bench('raises', function() error { code = 3 } end)\n"
      "suite:bench('yields', function() coroutine.yield(1) end)\n"
      "return suite, { quota = '5ms' }";
  machine m = {0, 0, 0, 1000};
  lua_State *L = new_state(&m, 0);
  tare_frames *frames = tare_frames_new(L, NULL);
  int status, top, i;
  if (frames == NULL || !check_null(NULL, 0) || !check_null(frames, 1) ||
      !check_closed(L))
    return 0;
  tare_frames_live(frames, NULL);
  said(L, "no writer", tare_frames_write(frames, "csv", NULL, NULL));
  said(L, "frames as a session", tare_session_step(L, -1, 2.0, NULL));
  said(L, "frames as a policy", tare_policy_after(L, -1, 2.0));
  lua_settop(L, 0);
  said(L, "no source", tare_session_new(L, NULL, 3, "=a"));
  said(L, "no suite", tare_session_new(L, "return 1", 8, "=a"));
  said(L, "a table", tare_session_new(L, "error { code = 3 }", 18, "=a"));
  said(L, "no settings", tare_policy_new(L, "step", 1));
  said(L, "nothing", tare_session_close(L, 1));
  if (tare_policy_new(L, "step", 0) != TARE_OK) return 0;
  said(L, "policy as a session", tare_session_step(L, 1, 2.0, NULL));
  said(L, "policy closed as a session", tare_session_close(L, 1));
  if (lua_gc(L, LUA_GCISRUNNING, 0) != 0) return 0; /* it was not closed */
  said(L, "policy closed", tare_policy_close(L, 1));
  said(L, "again", tare_policy_close(L, 1));
  said(L, "after", tare_policy_after(L, 1, 2.0));
  lua_settop(L, 0);
  if (tare_session_new(L, source, sizeof source - 1, "=words") != TARE_OK)
    return 0;
  said(L, "session as a policy", tare_policy_after(L, 1, 2.0));
  said(L, "session closed as a policy", tare_policy_close(L, 1));
  do {
    status = tare_session_step(L, 1, 2.0, NULL);
  } while (status == TARE_OK);
  said(L, "stepped", status);
  if (tare_session_report(L, 1, "text") != TARE_OK) return 0;
  printf("%s", lua_tostring(L, -1));
  lua_settop(L, 1);
  for (i = 0; i < 2; i++) said(L, "closed", tare_session_close(L, 1));
  said(L, "a closed one", tare_session_report(L, 1, "text"));
  top = lua_gettop(L);
  lua_close(L);
  printf("still in use: %lu bytes\n", (unsigned long)m.bytes);
  return top == 1 && m.bytes == 0;
}

enum { POLICY_FRAMES = 600 };

/*
** A policy drives the collector: the heap stays small, its calls need no memory
** (but for the stack, which a collection may shrink), and the collector runs
** again afterwards.
*/
static int check_policy(void) {
  static const char *const names[] = {"incremental", "step", "spare"};
  static const char frame[] =
      "local list = {} for i = 1, 500 do list[i] = { i } end";
  size_t i;
  for (i = 0; i < sizeof names / sizeof *names; i++) {
    machine m = {0, 0, 0, 1000};
    lua_State *L = new_state(&m, 0);
    unsigned long before, asked = 0;
    size_t most = 0;
    int frames, status;
    if (tare_policy_new(L, names[i], 0) != TARE_OK) return 0;
    if (luaL_loadstring(L, frame) != LUA_OK) return 0;
    for (frames = 0; frames < POLICY_FRAMES; frames++) {
      lua_pushvalue(L, -1);
      if (lua_pcall(L, 0, 0, 0) != LUA_OK) return 0;
      before = m.granted;
      if (tare_policy_after(L, -2, 8.0) != TARE_OK) return 0;
      asked += m.granted - before;
      if (m.bytes > most) most = m.bytes;
    }
    status = tare_policy_after(L, -1, 8.0); /* a function */
    printf("%s: heap %s, memory needed %s; %d: %s\n", names[i],
           most < 8000000 ? "small" : "large", asked < 5 ? "rarely" : "often",
           status, lua_tostring(L, -1));
    lua_pop(L, 1);
    if (tare_policy_close(L, -2) != TARE_OK) return 0;
    if (lua_gc(L, LUA_GCISRUNNING, 0) != 1) return 0;
    lua_close(L);
    if (m.bytes != 0) return 0;
  }
  return 1;
}

/* tick(): the collector's time passes; called by finalizers. */
static int tick(lua_State *L) {
  machine *m = (machine *)lua_touserdata(L, lua_upvalueindex(1));
  m->now_ns += 1000000;
  return 0;
}

/* Garbage with a finalizer, beside more garbage; and nothing of the kind. */
static const char makes[] = "local n = ... setmetatable({}, {__gc = tick})\n"
                            "for i = 1, n do local list = {i} end";
static const char computes[] =
    "local sum = 0 for i = 1, 500 do sum = sum + i end";

/* A scope of a paced frame; adds the allocations of the recorder to 'asked'. */
static int paced_scope(lua_State *L, machine *m, tare_frames *frames, int scope,
                       int function, int n, unsigned long *asked) {
  unsigned long before = m->granted;
  if (tare_scope_begin(frames, scope) != TARE_OK) return 0;
  *asked += m->granted - before;
  m->now_ns += 1000000;
  lua_pushvalue(L, function);
  lua_pushinteger(L, n);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) return 0;
  before = m->granted;
  if (tare_scope_end(frames, scope) != TARE_OK) return 0;
  *asked += m->granted - before;
  return 1;
}

/*
** Paced frames: the heap stays small, the recorder needs memory only where a
** collection ends, and the collector's time, which finalizers make here, is that
** of the scope with the garbage. A frame that loads a level is collected
** meanwhile; one that has no end leaves a collector that runs.
*/
static int check_paced(void) {
  static const char script[] =
      "local said = frames:result()\n"
      "local makes, computes = said.scopes[1], said.scopes[2]\n"
      "return ('makes: %s, computes: %g ms; %d frame untimed'):format(\n"
      "  makes.collector.share > 0.1 and 'collected', computes.collector.max,\n"
      "  said.paced.untimed)";
  machine m = {0, 0, 0, 1000};
  lua_State *L = new_state(&m, 1);
  tare_frames_options options = {16.67, 100, 1};
  tare_frames *frames = tare_frames_new(L, &options);
  tare_frames_now now;
  unsigned long asked = 0;
  size_t least = m.bytes, most = 0;
  int a, b, i;
  if (frames == NULL) return 0;
  lua_setglobal(L, "frames");
  lua_pushlightuserdata(L, &m);
  lua_pushcclosure(L, tick, 1);
  lua_setglobal(L, "tick");
  lua_settop(L, 0);
  if (luaL_loadstring(L, makes) || luaL_loadstring(L, computes)) return 0;
  a = tare_scope(frames, "makes", 9.0);
  b = tare_scope(frames, "computes", 9.0);
  for (i = 1; i <= POLICY_FRAMES; i++) {
    tare_frame_begin(frames);
    if (!paced_scope(L, &m, frames, a, 1, i == 500 ? 1000000 : 500, &asked) ||
        !paced_scope(L, &m, frames, b, 2, 0, &asked))
      return 0;
    if (m.bytes > most) most = m.bytes;
    if (tare_frame_end(frames) != TARE_OK) return 0;
  }
  tare_frames_live(frames, &now);
  printf("heap %s, memory needed %s\n", most < 3 * least ? "small" : "large",
         asked < 300 ? "rarely" : "often");
  printf("live: %s, p99 %s\n", now.collector_share > 0.1 ? "a share" : "none",
         now.collector_p99_ms > 20.0 && now.collector_p99_ms < 80.0
             ? "of tens of ms"
             : "wrong");
  if (luaL_dostring(L, script) != LUA_OK) return 0;
  printf("%s\n", lua_tostring(L, -1));
  tare_frame_begin(frames);
  printf("running: %d\n", lua_gc(L, LUA_GCISRUNNING, 0));
  lua_close(L); /* in a frame */
  printf("still in use: %lu bytes\n", (unsigned long)m.bytes);
  return m.bytes == 0;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

enum { COST_FRAMES = 2000, COST_TRIES = 400, COST_SCOPES = 3 };

static int check_cost(void) {
  machine m = {0, 0, 0, 0};
  lua_State *L = new_state(&m, 0);
  tare_frames_options options = {0.0, 0, 1};
  tare_frames *plain = tare_frames_new(L, NULL), *frames;
  tare_frames *paced = tare_frames_new(L, &options);
  double best[4] = {1e9, 1e9, 1e9, 1e9};
  int scopes[COST_SCOPES], i, j, kind, try_;
  if (plain == NULL || paced == NULL) return 0;
  for (i = 0; i < COST_SCOPES; i++) {
    scopes[i] = tare_scope(plain, i == 0 ? "a" : i == 1 ? "b" : "c", 1.0);
    tare_scope(paced, i == 0 ? "a" : i == 1 ? "b" : "c", 1.0);
  }
  for (try_ = 0; try_ < COST_TRIES; try_++) {
    for (kind = 0; kind < 4; kind++) {
      double began = seconds(), ns;
      frames = kind == 3 ? paced : plain;
      for (i = 0; i < COST_FRAMES; i++) {
        if (kind == 2) {
          (void)seconds();
          (void)seconds();
          continue;
        }
        tare_frame_begin(frames);
        for (j = 0; kind % 2 == 1 && j < COST_SCOPES; j++) {
          tare_scope_begin(frames, scopes[j]);
          tare_scope_end(frames, scopes[j]);
        }
        tare_frame_end(frames);
      }
      ns = (seconds() - began) / COST_FRAMES * 1e9;
      if (ns < best[kind]) best[kind] = ns;
    }
  }
  printf("cost: frame %.0f ns, with three scopes %.0f ns, paced %.0f ns; two "
         "readings of the clock %.0f ns\n",
         best[0], best[1], best[3], best[2]);
  lua_close(L);
  return m.bytes == 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int ok = 0;
  if (strcmp(what, "record") == 0) ok = check_record();
  if (strcmp(what, "write") == 0) ok = check_write();
  if (strcmp(what, "refuse") == 0) ok = check_refuse();
  if (strcmp(what, "misuse") == 0) ok = check_misuse();
  if (strcmp(what, "policy") == 0) ok = check_policy();
  if (strcmp(what, "paced") == 0) ok = check_paced();
  if (strcmp(what, "cost") == 0) ok = check_cost();
  return ok ? 0 : 1;
}
