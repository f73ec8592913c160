// Values: classes with members that Python reads, pickles, compares and prints; and ranges, merge inputs and
// activities as tuples and strings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sortlast/schedule.hpp"
#include "sortlast/timing.hpp"
#include "sortlast/version.hpp"

namespace sortlast::python {

// A member in its pickled form: records of numbers, and lists of them, as their bytes.
template <typename T>
nanobind::object to_state(const T& member) {
  if constexpr (std::is_class_v<T> && std::is_trivially_copyable_v<T>) {
    return nanobind::bytes(&member, sizeof member);
  } else {
    return nanobind::cast(member);
  }
}
template <typename T>
  requires std::is_trivially_copyable_v<T>
nanobind::object to_state(const std::vector<T>& member) {
  return nanobind::bytes(member.data(), member.size() * sizeof(T));
}

[[noreturn]] inline void refuse_state() {
  throw nanobind::value_error("a pickle of another version of sortlast");
}

template <typename T>
void from_state(nanobind::handle state, T& member) {
  if constexpr (std::is_class_v<T> && std::is_trivially_copyable_v<T>) {
    const auto bytes = nanobind::cast<nanobind::bytes>(state);
    if (bytes.size() != sizeof member) refuse_state();
    std::memcpy(static_cast<void*>(&member), bytes.data(), sizeof member);
  } else {
    member = nanobind::cast<T>(state);
  }
}
template <typename T>
  requires std::is_trivially_copyable_v<T>
void from_state(nanobind::handle state, std::vector<T>& member) {
  const auto bytes = nanobind::cast<nanobind::bytes>(state);
  if (bytes.size() % sizeof(T) != 0) refuse_state();
  member.resize(bytes.size() / sizeof(T));
  std::copy_n(static_cast<const std::byte*>(bytes.data()), bytes.size(),
              reinterpret_cast<std::byte*>(member.data()));
}

// Pickling. `members` returns a tuple of references to all parts of a value, like std::tie.
template <typename T, typename... Bases, typename Members>
void bind_pickle(nanobind::class_<T, Bases...>& type, Members members) {
  namespace nb = nanobind;
  type.def("__getstate__", [members](const T& value) {
    return std::apply([](const auto&... each) { return nb::make_tuple(version(), to_state(each)...); },
                      members(value));
  });
  type.def("__setstate__", [members](T& self, const nb::tuple& state) {
    T value{};
    std::apply(
        [&state](auto&... each) {
          if (state.size() != 1 + sizeof...(each) || nb::cast<std::string>(state[0]) != version())
            refuse_state();
          std::size_t at = 1;
          (from_state(state[at++], each), ...);
        },
        members(value));
    new (&self) T(std::move(value));
  });
}

// A member of T as seen from Python.
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

// Turn a class with bound members into a plain value: pickling, equality if T has it, and a repr that shows
// all members by name.
template <typename T, typename... Members>
void bind_plain(nanobind::class_<T>& type, Field<T, Members>... fields) {
  namespace nb = nanobind;
  bind_pickle(type, [fields...](auto& value) { return std::tie(value.*fields.member...); });
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
    type.attr("__hash__") = nb::none();  // set by Python before the class had this equality
  }
}

// Same, with read-only members.
template <typename T, typename... Members>
void bind_value(nanobind::class_<T>& type, Field<T, Members>... fields) {
  (type.def_ro(fields.name, fields.member, fields.doc), ...);
  bind_plain(type, fields...);
}

// Same, with writable members.
template <typename T, typename... Members>
void bind_settings(nanobind::class_<T>& type, Field<T, Members>... fields) {
  (type.def_rw(fields.name, fields.member, fields.doc), ...);
  bind_plain(type, fields...);
}

}  // namespace sortlast::python

namespace nanobind::detail {

// A class of the library that Python represents as `Plain`: From(value) and To(plain) convert.
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
  for (auto number = 0; number <= static_cast<int>(sortlast::Activity::search); ++number) {
    activity = static_cast<sortlast::Activity>(number);
    if (text == sortlast::activity_name(activity)) return true;
  }
  return false;
}
template <>
struct type_caster<sortlast::Activity>
    : plain_caster<sortlast::Activity, std::string, activity_text, text_activity> {};

}  // namespace nanobind::detail
