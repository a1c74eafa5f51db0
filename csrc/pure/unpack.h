/*
** Unpacks blocks in the format of LZ4 (Y. Collet, "LZ4 Block Format
** Description", 2011): the Lua part in an amalgamation is packed.
*/
#ifndef TARE_UNPACK_H
#define TARE_UNPACK_H

#include <stddef.h>

/*
** Unpacks 'packed' into 'out', which has room for 'size' bytes, after the first
** 'known' bytes of 'out', to which the block may refer. Returns how many bytes
** 'out' has then: 'size' unless the block is broken, and never more.
*/
size_t tare_unpack(const unsigned char *packed, size_t packed_size, char *out,
                   size_t known, size_t size);

#endif
