/*
** tare: benchmarking for Lua with collector accounting.
** The public C header: what an embedder includes and links against.
*/
#ifndef TARE_H
#define TARE_H

/* Semantic version; the one place where it stands. */
#define TARE_VERSION "0.1.0"

#if defined(_WIN32)
#define TARE_API __declspec(dllexport)
#elif defined(__GNUC__)
#define TARE_API __attribute__((visibility("default")))
#else
#define TARE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

struct lua_State;

/* Opens the C core in 'L': pushes the table of the module 'tare.core'. */
TARE_API int luaopen_tare_core(struct lua_State *L);

#ifdef __cplusplus
}
#endif

#endif
