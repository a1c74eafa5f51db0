/* Where Defold has it. */
#include <dmsdk/lua/lauxlib.h>
