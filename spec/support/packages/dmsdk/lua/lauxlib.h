/* Where Debian has it. */
#include <lua5.1/lauxlib.h>
