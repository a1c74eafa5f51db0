/*
** A hash of texts that is the same on every machine. Not cryptographic.
*/
#ifndef TARE_HASH_H
#define TARE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, 64 bits (Fowler, Noll and Vo; RFC 9923). */
uint64_t tare_hash(const char *text, size_t length);

#endif
