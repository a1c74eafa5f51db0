#include "pure/hash.h"

#define FNV_OFFSET_BASIS 0xcbf29ce484222325u
#define FNV_PRIME 0x00000100000001b3u

uint64_t tare_hash(const char *text, size_t length) {
  uint64_t hash = FNV_OFFSET_BASIS;
  size_t i;
  for (i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * FNV_PRIME;
  return hash;
}
