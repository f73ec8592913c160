// Ranges, inputs of merges and activities as Python's tuples and texts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <utility>

#include "sortlast/schedule.hpp"
#include "sortlast/timing.hpp"

namespace nanobind::detail {

// A class of the library that Python knows as `Plain`: From(value) and To(plain) convert.
template <typename T, typename Plain, Plain (*to_plain)(const T&), bool (*from_plain)(const Plain&, T&)>
struct plain_caster {
  NB_TYPE_CASTER(T, make_caster<Plain>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Plain> caster;
    return caster.from_python(source, flags, cleanup) && from_plain(caster.operator cast_t<Plain>(), value);
  }
  static handle from_cpp(const T& source, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<Plain>::from_cpp(to_plain(source), policy, cleanup);
  }
};

using RangePair = std::pair<std::int64_t, std::int64_t>;
inline RangePair range_pair(const sortlast::Range& range) { return {range.begin, range.end}; }
inline bool pair_range(const RangePair& pair, sortlast::Range& range) {
  range = {pair.first, pair.second};
  return true;
}
template <>
struct type_caster<sortlast::Range> : plain_caster<sortlast::Range, RangePair, range_pair, pair_range> {};

using InputPair = std::pair<sortlast::Value, bool>;
inline InputPair input_pair(const sortlast::Merge::Input& input) { return {input.value, input.front}; }
inline bool pair_input(const InputPair& pair, sortlast::Merge::Input& input) {
  input = {pair.first, pair.second};
  return true;
}
template <>
struct type_caster<sortlast::Merge::Input>
    : plain_caster<sortlast::Merge::Input, InputPair, input_pair, pair_input> {};

inline std::string activity_text(const sortlast::Activity& activity) {
  return std::string(sortlast::activity_name(activity));
}
inline bool text_activity(const std::string& text, sortlast::Activity& activity) {
  for (auto number = 0; number <= static_cast<int>(sortlast::Activity::gather); ++number) {
    activity = static_cast<sortlast::Activity>(number);
    if (text == sortlast::activity_name(activity)) return true;
  }
  return false;
}
template <>
struct type_caster<sortlast::Activity>
    : plain_caster<sortlast::Activity, std::string, activity_text, text_activity> {};

}  // namespace nanobind::detail
