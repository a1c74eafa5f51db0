/* Numbers as JSON writes them (RFC 8259), whatever the locale is. */
#ifndef TARE_JSON_H
#define TARE_JSON_H

#include <stddef.h>

/* Room that a number takes at most, with the zero that ends it. */
#define TARE_JSON_NUMBER_SIZE 32

/*
** Writes 'x' to buf[0..TARE_JSON_NUMBER_SIZE-1], with 15 digits where they read
** back as the same double, else with 17, which always do; "null" where it is NaN
** or infinite, which JSON does not have. Returns how many characters are before
** the final zero.
*/
size_t tare_json_number(char *buf, double x);

#endif
