// Plain values: classes whose members Python reads, pickles, compares and prints.
#pragma once

#include <nanobind/nanobind.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

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
