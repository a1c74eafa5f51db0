/*
** What the binding files share: how arguments are checked, and the functions
** that add each part to the module table.
*/
#ifndef TARE_BIND_H
#define TARE_BIND_H

#include "compat.h"
#include "pure/samples.h"

#define TARE_SAMPLES "tare.samples"
#define TARE_METER "tare.meter"

struct tare_meter; /* state/batch.h */

/* The store at index 'i', or a Lua error that names the argument. */
tare_samples *tare_check_samples(lua_State *L, int i);

/* The meter at index 'i', or a Lua error that names the argument. */
struct tare_meter *tare_check_meter(lua_State *L, int i);

/* Each adds its part to the module table on top of the stack. */
void tare_bind_samples(lua_State *L);
void tare_bind_platform(lua_State *L);
void tare_bind_gc(lua_State *L);
void tare_bind_meter(lua_State *L);

#endif
