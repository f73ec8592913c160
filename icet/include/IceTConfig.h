// IceTConfig.h: configuration of the other headers of IceT's interface: integer types and the version of the
// interface. The library behind it is sortlast; SORTLAST_ICET distinguishes it from IceT.
#ifndef SORTLAST_ICET_CONFIG_H
#define SORTLAST_ICET_CONFIG_H

#include <stdint.h>

#define SORTLAST_ICET 1

#define ICET_MAJOR_VERSION 2
#define ICET_MINOR_VERSION 2
#define ICET_PATCH_VERSION 0
#define ICET_VERSION "2.2.0"

typedef int8_t IceTInt8;
typedef uint8_t IceTUnsignedInt8;
typedef int16_t IceTInt16;
typedef uint16_t IceTUnsignedInt16;
typedef int32_t IceTInt32;
typedef uint32_t IceTUnsignedInt32;
typedef int64_t IceTInt64;
typedef uint64_t IceTUnsignedInt64;
typedef float IceTFloat32;
typedef double IceTFloat64;
typedef int64_t IceTPointerArithmetic;

// Marks the symbols that the shared library exports.
#ifdef __GNUC__
#define ICET_EXPORT __attribute__((visibility("default")))
#else
#define ICET_EXPORT
#endif
#define ICET_MPI_EXPORT ICET_EXPORT
#define ICET_GL_EXPORT ICET_EXPORT
#define ICET_GL3_EXPORT ICET_EXPORT
#define ICET_STRATEGY_EXPORT ICET_EXPORT

// Results of icetGetIntegerv() for ICET_MAGIC_K and ICET_MAX_IMAGE_SPLIT unless the environment sets others.
#define ICET_MAGIC_K_DEFAULT 8
#define ICET_MAX_IMAGE_SPLIT_DEFAULT 512

#endif
