/* The recorder of frames, as bindings and the C interface make and read it. */
#ifndef TARE_BIND_FRAMES_H
#define TARE_BIND_FRAMES_H

#include "compat.h"
#include "platform/clock.h"
#include "state/frames.h"
#include "tare.h"

#define TARE_FRAMES "tare.frames"

/* Pushes a recorder; 'clock' must live as long. May raise (no memory). */
tare_frames *tare_push_frames(lua_State *L, const tare_clock *clock,
                              double budget_ms, size_t ring_size);

/*
** The scope of that name, made if there is none. budget_ms: 0: the scope has no
** budget; below 0: it keeps the budget that it has. Returns -1 where there is
** no room, or no memory. Raises nothing.
*/
int tare_recorder_scope(lua_State *L, tare_frames *f, const char *name,
                        double budget_ms);

/*
** Pushes what is known of the frames, as plain data. May raise (no memory).
** Must be called while 'f->readers' is above 0: finalizers may run while it
** makes tables.
*/
void tare_push_record(lua_State *L, const tare_frames *f);

/*
** Calls the function below its only argument, as lua_pcall does; the function
** returns one value. No finalizer can close the recorder, or drop its profile,
** while the function runs. A finalizer can do so while the function is pushed
** (5.1, LuaJIT), so what the function reads has to be looked up after that.
*/
int tare_frames_read(lua_State *L, tare_frames *f);

/*
** Streams the frames in a format to 'sink'. Returns 0 where there is a stream
** already, no such format, or no memory. Raises nothing.
*/
int tare_stream_open(lua_State *L, tare_frames *f, const char *format,
                     tare_sink sink, void *ud);

/* Ends the stream, which there must be; whether the sink took it all. */
int tare_stream_close(lua_State *L, tare_frames *f);

/* Ends the profile of frames, if there is one. */
void tare_frames_drop_profile(lua_State *L, tare_frames *f);

/* Why a recorder can't be paced (tare_recorder_pace). */
#define TARE_NO_PACE                                                           \
  "this Lua's collector can't be paced in frames: held, it would be stopped, " \
  "and the heap would have no limit (Lua 5.3, 5.4 and LuaJIT can)"

void tare_recorder_now(lua_State *L, const tare_frames *f,
                       tare_frames_now *now);

#endif
