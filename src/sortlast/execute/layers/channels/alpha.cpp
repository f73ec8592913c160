// Alphas, converted some pixels at a time by the kernels.
#include "sortlast/execute/layers/channels/alpha.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "sortlast/image/blend.hpp"

namespace sortlast {

std::vector<float> alphas_of(Scalar scalar, const std::byte* colour, std::int64_t n) {
  constexpr std::int64_t at_once = 1024;
  constexpr std::size_t channels = 4;
  std::vector<float> alphas(static_cast<std::size_t>(n));
  std::array<float, at_once * channels> block;
  const std::size_t pixel_bytes = Format{scalar, channels}.colour_bytes();
  for (std::int64_t begin = 0; begin < n; begin += at_once) {
    const std::int64_t count = std::min(at_once, n - begin);
    const Link link{{colour + static_cast<std::size_t>(begin) * pixel_bytes, nullptr}, scalar};
    blend(Op::add, channels, false, {&link, 1}, {reinterpret_cast<std::byte*>(block.data()), nullptr},
          Scalar::float32, count);
    for (std::int64_t i = 0; i < count; ++i)
      alphas[static_cast<std::size_t>(begin + i)] = block[static_cast<std::size_t>(i) * channels + 3];
  }
  return alphas;
}

}  // namespace sortlast
