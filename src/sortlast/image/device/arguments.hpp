// Arguments of the device kernels, with the same layout on the host and on the device.
#pragma once

#include <cstdint>

namespace sortlast::device_kernels {

// Maximum links of one launch, whose arguments have 4 KiB. Longer chains are cut and resumed in the scalar
// type accumulator_scalar(), which changes no bit.
inline constexpr int max_links = 64;

// One image of a chain. Positions count scalars (closest: pixels) from the beginning of the launch, which is
// at `plane`. What lies outside [begin, end) is empty and not read.
struct LinkArguments {
  const void* plane;   // colours, or depths for the kernels of depth planes
  const float* depth;  // for closest only
  std::int64_t begin;
  std::int64_t end;
  std::int32_t scalar;  // as in Scalar
  std::int32_t in_front;
};

// A thread handles a group of scalars (closest: one pixel). Group t begins at scalar t * size of a group -
// `lead`, so that groups begin at aligned addresses; scalars before 0 and from `size` on do not exist.
struct BlendArguments {
  LinkArguments links[max_links];
  void* plane;
  float* depth;  // for closest only
  std::int64_t size;
  std::int64_t lead;
  float background[4];                // not for closest
  std::uint32_t background_words[4];  // the colour as it is stored in the output; for closest only
  float background_depth;             // for closest only
  float absent;                       // the value of each scalar if there are no links
  std::int32_t has_background;
  std::int32_t op;     // as in Op
  std::int32_t count;  // of links
  std::int32_t channels;
  std::int32_t scalar;     // of the output
  std::int32_t all_cover;  // whether every link stores all scalars
};
static_assert(sizeof(BlendArguments) <= 4096);

}  // namespace sortlast::device_kernels
