// Checks of blend()'s arguments.
#include "sortlast/image/check_chain.hpp"

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

void check_planes(ConstPixels pixels, bool depth, const std::string& whose) {
  if (pixels.colour == nullptr) throw ArgumentError("blend: " + whose + " has no colour (null pointer)");
  if (depth && pixels.depth == nullptr)
    throw ArgumentError("blend: " + whose + " has no depth plane (null pointer), though depth is asked for");
}

}  // namespace

void check_chain(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
                 std::int64_t n) {
  check_format({out_scalar, channels, depth}, op);
  if (chain.empty()) throw ArgumentError("blend: the chain is empty; it needs at least one link");
  if (n < 0) throw ArgumentError("blend: the number of pixels is negative (" + std::to_string(n) + ")");
  if (n == 0) return;
  check_planes(out, depth, "the output");
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (!chain[i].sparse || !chain[i].runs.empty())
      check_planes(chain[i].pixels, depth, "link " + std::to_string(i));
}

}  // namespace sortlast
