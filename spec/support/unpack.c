/*
** Unpacks what is on stdin to SIZE bytes, of which those of KNOWN come first:
**   unpack SIZE KNOWN
** Prints what was unpacked. Exits with 1 where a byte beyond was written. What
** lies behind the input is 'Z', and what was not written is '.'.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pure/unpack.h"

enum { MOST = 8192, BEYOND = 4096 };

static unsigned char packed[MOST + BEYOND];
static char out[MOST + BEYOND];

int main(int argc, char **argv) {
  size_t size = argc > 2 ? (size_t)atol(argv[1]) : 0, read, done, i;
  if (argc < 3 || size > MOST || strlen(argv[2]) > size) return 2;
  memset(packed, 'Z', sizeof packed);
  memset(out, '.', sizeof out);
  read = fread(packed, 1, MOST, stdin);
  memset(packed + read, 'Z', sizeof packed - read);
  memcpy(out, argv[2], strlen(argv[2]));
  done = tare_unpack(packed, read, out, strlen(argv[2]), size);
  if (done > size) return 1;
  for (i = done; i < sizeof out; i++)
    if (out[i] != '.') return 1;
  fwrite(out, 1, done, stdout);
  return 0;
}
