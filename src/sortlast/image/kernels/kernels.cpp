// The kernels of one instruction set: compiled once for each, with SORTLAST_TARGET its namespace.
#include "sortlast/image/kernels/active.hpp"
#include "sortlast/image/kernels/convert.hpp"
#include "sortlast/image/kernels/dispatch.hpp"
#include "sortlast/image/kernels/operators.hpp"

namespace sortlast::SORTLAST_TARGET {
namespace {

constexpr Kernels table{
    .load = {nullptr, load<Float16>, load<Uint8>},
    .store = {nullptr, store<Float16>, store<Uint8>},
    .over = {{combine<Over<false>, Float32>, combine<Over<false>, Float16>, combine<Over<false>, Uint8>},
             {combine<Over<true>, Float32>, combine<Over<true>, Float16>, combine<Over<true>, Uint8>}},
    .add = {combine<Add, Float32>, combine<Add, Float16>, combine<Add, Uint8>},
    .max = {combine<Max, Float32>, combine<Max, Float16>, combine<Max, Uint8>},
    .min = {combine<Min, Float32>, combine<Min, Float16>, combine<Min, Uint8>},
    .nearest = {nearest_depth<false>, nearest_depth<true>},
    .closest = {{{closest<false, 12>, closest<false, 16>},
                 {closest<false, 6>, closest<false, 8>},
                 {closest<false, 3>, closest<false, 4>}},
                {{closest<true, 12>, closest<true, 16>},
                 {closest<true, 6>, closest<true, 8>},
                 {closest<true, 3>, closest<true, 4>}}},
    .active = {{{active<std::uint32_t, 3, false>, active<std::uint32_t, 3, true>},
                {active<std::uint64_t, 2, false>, active<std::uint64_t, 2, true>}},
               {{active<std::uint16_t, 3, false>, active<std::uint16_t, 3, true>},
                {active<std::uint64_t, 1, false>, active<std::uint64_t, 1, true>}},
               {{active<std::uint8_t, 3, false>, active<std::uint8_t, 3, true>},
                {active<std::uint32_t, 1, false>, active<std::uint32_t, 1, true>}}},
    .empty_blocks = {{empty_blocks<false, false>, empty_blocks<false, true>},
                     {empty_blocks<true, false>, empty_blocks<true, true>}}};

}  // namespace

const Kernels& kernels() { return table; }

}  // namespace sortlast::SORTLAST_TARGET
