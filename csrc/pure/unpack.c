#include "pure/unpack.h"

#include <string.h>

typedef struct packed_source {
  const unsigned char *next, *end;
} packed_source;

/* A length of 15 goes on in the bytes that follow, up to one below 255. */
static size_t read_length(packed_source *in, size_t length) {
  unsigned char more;
  if (length < 15) return length;
  do {
    if (in->next == in->end) return length;
    more = *in->next++;
    length += more;
  } while (more == 255);
  return length;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t tare_unpack(const unsigned char *packed, size_t packed_size, char *out,
                   size_t known, size_t size) {
  packed_source in;
  size_t done = known, length, offset;
  in.next = packed;
  in.end = packed + packed_size;
  while (in.next < in.end) {
    unsigned token = *in.next++;
    length = read_length(&in, token >> 4);
    length = smaller(length, smaller((size_t)(in.end - in.next), size - done));
    memcpy(out + done, in.next, length);
    in.next += length;
    done += length;
    if (in.end - in.next < 2) break; /* the last run has no match */
    offset = in.next[0] | (size_t)in.next[1] << 8;
    in.next += 2;
    if (offset == 0 || offset > done) break;
    length = smaller(read_length(&in, token & 15) + 4, size - done);
    for (; length > 0; length--, done++) out[done] = out[done - offset];
  }
  return done;
}
