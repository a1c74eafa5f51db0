#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE /* dladdr; RTLD_NODELETE where it is an extension */
#endif
#include "platform/resident.h"

#if defined(TARE_STATIC)

void tare_stay_resident(void) {
}

#elif defined(_WIN32)

#include <windows.h>

static const char here = 0; /* an address inside this library */

void tare_stay_resident(void) {
  HMODULE module;
  (void)GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN |
                               GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                           &here, &module);
}

#else

#include <dlfcn.h>
#include <stddef.h>

static const char here = 0; /* an address inside this library */

void tare_stay_resident(void) {
#if defined(RTLD_NODELETE) && defined(RTLD_NOLOAD)
  Dl_info info;
  void *handle;
  if (dladdr((const void *)&here, &info) == 0 || info.dli_fname == NULL) return;
  handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (handle == NULL) (void)dlerror(); /* the program itself: never unloaded */
#endif
}

#endif
