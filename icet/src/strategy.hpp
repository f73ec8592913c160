// Strategies of IceT: their names, and the matching algorithms of sortlast.
#pragma once

#include <string>

#include "context.hpp"

namespace sortlast::icet {

// The algorithm that composites a context's frames: the one of its strategies, or the one named by the
// environment variable SORTLAST_ICET ("auto", or a name of algorithms()).
//
//   direct                                  direct-send
//   the others, by the single-image strategy:
//     automatic, tree                       auto: whole images, merged pair by pair, are never the fastest
//     binary swap, folded binary swap       binary-swap, binary-swap:fold
//     radix-k, radix-kr                     radix-k, with the k of ICET_MAGIC_K where it divides the ranks
std::string algorithm_of(const Settings& settings, int p);

// The number of ranks that a radix-k round joins, and the number of parts of a split image, from the
// environment (ICET_MAGIC_K, ICET_MAX_IMAGE_SPLIT), or IceT's defaults.
int magic_k();
int max_image_split();

}  // namespace sortlast::icet
