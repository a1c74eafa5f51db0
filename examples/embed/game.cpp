// A game in C++17 that knows what its frames take: scopes with budgets, marks,
// live figures, a policy of the collector, a session in the first frames, and
// captures at the end.
//
//   make amalgam
//   cc -O2 -ffp-contract=off -DNDEBUG -I/usr/include/lua5.4 -c build/amalgam/tare.c
//   c++ -std=c++17 -O2 -I/usr/include/lua5.4 -Ibuild/amalgam
//     examples/embed/game.cpp tare.o -llua5.4 -lm -ldl -o game
//   ./game FOLDER
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#if __has_include(<lua.hpp>)
#include <lua.hpp>
#else // sources of Lua that have not been installed
extern "C" {
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
}
#endif

#include "tare.h"

namespace {

constexpr int frame_count = 2000;
constexpr double budget_ms = 1000.0 / 60;
constexpr double step_ms = 2; // of a frame, for the session

const std::string script = R"lua(
  local particles = {}
  for i = 1, 400 do particles[i] = { x = i, vx = 0.5 } end
  function think(frame)
    local sum = 0
    for i = 1, #particles do sum = sum + particles[i].x % 3 end
    return sum
  end
  function update(frame)
    local moved = {}
    for i, p in ipairs(particles) do moved[i] = { x = p.x + p.vx, vx = p.vx } end
    particles = moved
  end
  function draw(frame)
    local list = {}
    for i = 1, 60 do list[i] = "sprite " .. (i + frame % 10) end
    return table.concat(list, ";")
  end)lua";

const std::string bench = R"lua(
  local tare = ...
  local suite = tare.suite "names"
  local words = { "one", "two", "three", "four" }
  suite:bench("concat", { baseline = true, run = function()
    local list = {}
    for i = 1, #words do list[i] = words[i] .. ";" end
    return table.concat(list)
  end })
  suite:bench("format", function()
    return ("%s;%s;%s;%s;"):format(words[1], words[2], words[3], words[4])
  end)
  return suite, { quota = "100ms" })lua";

std::uint64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

double ms(std::uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

// The error value on top of the stack as an exception, and off the stack.
[[noreturn]] void raise(lua_State *L, const char *what) {
  const char *text = lua_tostring(L, -1);
  const std::string said =
      std::string(what) + ": " +
      (text != nullptr ? text : "an error that is no text");
  lua_pop(L, 1);
  throw std::runtime_error(said);
}

void check(lua_State *L, const char *what, int status) {
  if (status == TARE_FAILED) raise(L, what);
}

void call(lua_State *L, const char *function, int frame) {
  lua_getglobal(L, function);
  lua_pushinteger(L, frame);
  if (lua_pcall(L, 1, 0, 0) != 0) raise(L, function);
}

// A file that tare writes into.
class File {
public:
  explicit File(const std::string &path)
      : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error("can't write " + path);
  }
  ~File() {
    std::fclose(file_);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  static int write(void *self, const char *text, std::size_t length) {
    std::FILE *file = static_cast<File *>(self)->file_;
    return std::fwrite(text, 1, length, file) == length ? TARE_OK : TARE_FAILED;
  }

private:
  std::FILE *file_;
};

// A part of the frame, from here to the end of the block.
class Scope {
public:
  Scope(tare_frames *frames, int scope) : frames_(frames), scope_(scope) {
    tare_scope_begin(frames_, scope_);
  }
  ~Scope() {
    tare_scope_end(frames_, scope_);
  }
  Scope(const Scope &) = delete;
  Scope &operator=(const Scope &) = delete;

private:
  tare_frames *frames_;
  int scope_;
};

void show(const tare_frames *frames) {
  tare_frames_now now;
  tare_frames_live(frames, &now);
  std::printf(
      "frame %.0f: p50 %.3f, p99 %.3f, longest %.3f ms, over %.0f, %.0f kB\n",
      now.frames, now.p50_ms, now.p99_ms, now.max_ms, now.over,
      now.heap_bytes / 1024);
}

// Steps the session in its part of the frame, and says what it found.
bool measure(lua_State *L, int session) {
  const int status = tare_session_step(L, session, step_ms, nullptr);
  check(L, "session", status);
  if (status != TARE_DONE) return false;
  check(L, "report", tare_session_print(L, session, "text"));
  check(L, "close", tare_session_close(L, session));
  return true;
}

void play(lua_State *L, tare_frames *frames, const std::string &folder) {
  const int update = tare_scope(frames, "update", 8),
            ai = tare_scope(frames, "ai", 2);
  const int draw = tare_scope(frames, "draw", 4);
  const int measuring = tare_scope(frames, "measure", step_ms);
  File trace(folder + "/trace.json");
  if (tare_frames_stream(frames, "perfetto", File::write, &trace) != TARE_OK)
    throw std::runtime_error(tare_frames_message(frames));
  check(L, "session",
        tare_session_new(L, bench.data(), bench.size(), "=bench"));
  const int session = lua_gettop(L); // on the stack, as the policy below
  int policy = 0;
  bool measured = false;
  for (int frame = 0; frame < frame_count; ++frame) {
    const std::uint64_t began_ns = now_ns();
    if (frame % 1000 == 0)
      tare_frames_mark(frames, frame == 0 ? "level 1" : "level 2");
    tare_frame_begin(frames);
    {
      const Scope in_update(frames, update);
      call(L, "update", frame);
      const Scope in_ai(frames, ai);
      call(L, "think", frame);
    }
    {
      const Scope in_draw(frames, draw);
      call(L, "draw", frame);
    }
    if (!measured) {
      const Scope in_measuring(frames, measuring);
      measured = measure(L, session);
    } else if (policy == 0) { // now the collector may be a policy's
      check(L, "policy", tare_policy_new(L, "spare", 0));
      policy = lua_gettop(L);
    }
    // The last of the frame: what is left of it is the collector's.
    const std::uint64_t worked_ns = now_ns();
    if (policy != 0)
      check(L, "policy",
            tare_policy_after(L, policy, budget_ms - ms(worked_ns - began_ns)));
    const int ended = policy != 0
                          ? tare_frame_finish(frames, now_ns() - worked_ns)
                          : tare_frame_end(frames);
    if (ended != TARE_OK) throw std::runtime_error(tare_frames_message(frames));
    if ((frame + 1) % 200 == 0) show(frames);
  }
  if (policy != 0) check(L, "policy", tare_policy_close(L, policy));
  if (tare_frames_stream_end(frames) != TARE_OK)
    throw std::runtime_error(tare_frames_message(frames));
  for (const char *format : {"json", "csv", "html"}) {
    File file(folder + "/frames." + format);
    check(L, format, tare_frames_write(frames, format, File::write, &file));
  }
}

void print(void *, const char *text, std::size_t length) {
  std::fwrite(text, 1, length, stdout);
}

void run(lua_State *L, const std::string &folder) {
  luaL_openlibs(L);
  tare_host host{};
  host.print = print;
  check(L, "tare", tare_open(L, &host));
  if (luaL_loadbuffer(L, script.data(), script.size(), "=game") != 0 ||
      lua_pcall(L, 0, 0, 0) != 0)
    raise(L, "game");
  tare_frames_options options{};
  options.budget_ms = budget_ms;
  tare_frames *frames = tare_frames_new(L, &options); // stays on the stack
  if (frames == nullptr) raise(L, "frames");
  play(L, frames, folder);
}

} // namespace

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (L == nullptr) return 1;
  int code = 0;
  try {
    run(L, argc > 1 ? argv[1] : ".");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    code = 1;
  }
  lua_close(L);
  return code;
}
