/* Where Defold has it. */
#include <dmsdk/lua/lua.h>
