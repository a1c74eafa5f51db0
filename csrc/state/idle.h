/*
** The cost of timing itself: the least of some rounds in which nothing is done
** between the readings of the clock.
*/
#ifndef TARE_IDLE_H
#define TARE_IDLE_H

#include "compat.h"
#include "platform/clock.h"

/* Time to call the function at 'index' with the argument 0, ns. */
double tare_idle_call_ns(lua_State *L, const tare_clock *c, int index);

/* Time of a look (state/pace.h) that finds nothing due, ns. */
double tare_idle_look_ns(lua_State *L, const tare_clock *c);

#endif
