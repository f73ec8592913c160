// Values: classes whose members Python reads, pickles, compares and prints; and ranges, inputs of merges and
// activities as its tuples and texts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "sortlast/schedule.hpp"
#include "sortlast/timing.hpp"

namespace sortlast::python {

// A member of T as Python sees it.
template <typename T, typename Member>
struct Field {
  const char* name;
  Member T::* member;
  const char* doc;
};

template <typename T, typename Member>
Field<T, Member> field(const char* name, Member T::* member, const char* doc = "") {
  return {name, member, doc};
}

// Make a class whose members are bound a plain value: pickling, equality if T has it, and a repr that shows
// all members by name.
template <typename T, typename... Members>
void bind_plain(nanobind::class_<T>& type, Field<T, Members>... fields) {
  namespace nb = nanobind;
  type.def("__getstate__", [fields...](const T& value) { return nb::make_tuple(value.*fields.member...); });
  type.def("__setstate__", [fields...](T& self, const nb::tuple& state) {
    if (state.size() != sizeof...(Members)) throw nb::value_error("a pickle of another version of sortlast");
    T value{};
    std::size_t at = 0;
    ((value.*fields.member = nb::cast<Members>(state[at++])), ...);
    new (&self) T(std::move(value));
  });
  type.def("__repr__", [fields...](nb::handle self) {
    std::string text = nb::cast<std::string>(self.type().attr("__name__")) + "(";
    const char* separator = "";
    const auto add = [&](const char* name) {
      text += separator + std::string(name) + "=" + nb::cast<std::string>(nb::repr(self.attr(name)));
      separator = ", ";
    };
    (add(fields.name), ...);
    return text + ")";
  });
  if constexpr (std::equality_comparable<T>) {
    type.def(
        "__eq__", [](const T& a, const T& b) { return a == b; }, nb::is_operator(),
        nb::sig("def __eq__(self, arg: object, /) -> bool"));
  }
}

// The same with members that are only read.
template <typename T, typename... Members>
void bind_value(nanobind::class_<T>& type, Field<T, Members>... fields) {
  (type.def_ro(fields.name, fields.member, fields.doc), ...);
  bind_plain(type, fields...);
}

// The same with members that may be written.
template <typename T, typename... Members>
void bind_settings(nanobind::class_<T>& type, Field<T, Members>... fields) {
  (type.def_rw(fields.name, fields.member, fields.doc), ...);
  bind_plain(type, fields...);
}

}  // namespace sortlast::python

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
