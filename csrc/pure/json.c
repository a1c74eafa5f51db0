#include "pure/json.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHOLE_MAX 9007199254740992.0 /* 2^53: whole numbers are exact so far */

/* A whole number by its digits: what most figures are, and 10 times as fast. */
static size_t write_whole(char *buf, double x) {
  uint64_t rest = (uint64_t)fabs(x);
  char digits[20];
  size_t count = 0, length = 0;
  do digits[count++] = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (x < 0.0) buf[length++] = '-';
  while (count > 0) buf[length++] = digits[--count];
  buf[length] = '\0';
  return length;
}

size_t tare_json_number(char *buf, double x) {
  const char *from = buf;
  char *to = buf;
  if (!isfinite(x)) {
    memcpy(buf, "null", sizeof "null");
    return sizeof "null" - 1;
  }
  if (fabs(x) < WHOLE_MAX && x == floor(x)) return write_whole(buf, x);
  /* 17 digits always read back as the same double; 16 are hardly ever enough
  ** where 15 are not. */
  (void)snprintf(buf, TARE_JSON_NUMBER_SIZE, "%.15g", x);
  if (strtod(buf, NULL) != x)
    (void)snprintf(buf, TARE_JSON_NUMBER_SIZE, "%.17g", x);
  /* The locale's decimal point, of one byte or several, becomes a point. */
  while (*from != '\0') {
    if (strchr("0123456789+-e", *from) != NULL)
      *to++ = *from;
    else if (to == buf || to[-1] != '.')
      *to++ = '.';
    from++;
  }
  *to = '\0';
  return (size_t)(to - buf);
}
