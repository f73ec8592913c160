// ScheduleBuilder, and algorithms that are Python functions.
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "registered.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule_builder.hpp"
#include "value.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {

namespace {

// A builder as a Python function sees it, which may keep it for longer than the builder exists.
class Builder {
 public:
  explicit Builder(ScheduleBuilder* builder) : builder_(builder) {}
  void end() { builder_ = nullptr; }
  ScheduleBuilder& get() {
    if (builder_ == nullptr)
      throw UsageError(
          "this builder's schedule is complete; use a builder only in the function that gets it");
    return *builder_;
  }

 private:
  ScheduleBuilder* builder_;
};

// The exception that a Python function raised, and where. It concerns this rank alone, so it is not an
// ArgumentError, which all ranks of a call raise.
Error raised(const std::string& algorithm, nb::python_error& error) {
  const auto text = [](const nb::object& value) { return std::string(nb::str(value).c_str()); };
  std::string where;
  if (error.traceback().is_valid() && !error.traceback().is_none()) {
    const nb::object frames = nb::module_::import_("traceback").attr("extract_tb")(error.traceback());
    const nb::object last = frames[-1];
    where = " (" + text(last.attr("filename")) + ", line " + text(last.attr("lineno")) + ")";
  }
  return Error("algorithm '" + algorithm + "' raised " + text(error.type().attr("__name__")) + ": " +
               text(nb::borrow(error.value())) + where);
}

// Python keeps the functions, as this module could not release them at Python's end.
void call(const std::string& algorithm, ScheduleBuilder& builder) {
  const nb::gil_scoped_acquire acquire;
  const auto seen = std::make_shared<Builder>(&builder);
  try {
    nb::module_::import_("sortlast.schedule").attr("_functions")[algorithm.c_str()](seen);
    seen->end();
  } catch (nb::python_error& error) {
    seen->end();
    if (!error.matches(PyExc_Exception)) throw;  // KeyboardInterrupt and the like
    throw raised(algorithm, error);
  }
}

}  // namespace

void bind_builder(nb::module_& module) {
  nb::class_<Part> part(module, "Part",
                        "Pixels on a rank that hold the composite of the images at the positions `depth` of\n"
                        "Builder.order.");
  bind_value(part, field("rank", &Part::rank), field("value", &Part::value),
             field("pixels", &Part::pixels, "Half-open range [begin, end)."),
             field("depth", &Part::depth, "Half-open range of places in Builder.order."),
             field("stage", &Part::stage, "Last stage that the part depends on; 0: none."));
  nb::class_<Builder>(module, "Builder",
                      "Collects the sends and merges of all ranks; see sortlast.schedule.register.\n\n"
                      "The calls for a rank must be in an order in which it can execute them. Parts without "
                      "pixels are\nvalid everywhere and move nothing. Every call raises ArgumentError if a "
                      "rank is not in [0, p).")
      .def_prop_ro(
          "p", [](Builder& b) { return b.get().p(); }, "Number of ranks.")
      .def_prop_ro(
          "n", [](Builder& b) { return b.get().n(); }, "Number of pixels.")
      .def_prop_ro(
          "parameters", [](Builder& b) { return b.get().parameters(); },
          "The text after the colon of the algorithm's name.")
      .def_prop_ro(
          "order", [](Builder& b) { return b.get().order(); },
          "Ranks from front to back; if the operator commutes, in the preferred order for "
          "communication.")
      .def_prop_ro(
          "ring", [](Builder& b) { return b.get().ring(); },
          "Ranks in the preferred order for communication.")
      .def_prop_ro(
          "commutes", [](Builder& b) { return b.get().commutes(); },
          "Whether depth positions are counted modulo p, because the order does not matter.")
      .def(
          "image", [](Builder& b, std::int32_t rank) { return b.get().image(rank); }, "rank"_a,
          "A rank's own image: all pixels.")
      .def(
          "piece",
          [](Builder& b, std::int64_t j, std::int64_t g) {
            if (g < 1 || j < 0 || j >= g) {
              throw ArgumentError("piece is " + std::to_string(j) + " of " + std::to_string(g) +
                                  "; expected 0 <= j < g");
            }
            return piece_of(b.get().n(), g, j);
          },
          "j"_a, "g"_a, "Pixels [begin, end) of piece j of g equal pieces of the image.")
      .def(
          "cut", [](Builder& b, const Part& whole, Range pixels) { return b.get().cut(whole, pixels); },
          "part"_a, "pixels"_a, "The pixels of a part that are in `pixels`, [begin, end), too.")
      .def(
          "send",
          [](Builder& b, const Part& sent, std::int32_t to, std::int32_t stage) {
            return b.get().send(sent, to, stage);
          },
          "part"_a, "to"_a, "stage"_a = 0,
          "Send a part to another rank, in the given stage or, with 0, in the first one in which it can be\n"
          "sent. Returns the part on the other rank.")
      .def(
          "merge", [](Builder& b, const std::vector<Part>& parts) { return b.get().merge(parts); }, "parts"_a,
          "Composite parts of the same pixels on one rank, listed in the order in which they are expected\n"
          "to arrive. Their depth ranges must tile one range.")
      .def(
          "finish", [](Builder& b, const Part& result) { b.get().finish(result); }, "part"_a,
          "Make a part its rank's result, of which each rank has one at most.");
  module.def(
      "register",
      [](const std::string& name, const std::string& summary) {
        register_algorithm(name, summary, [name](ScheduleBuilder& builder) { call(name, builder); });
      },
      "name"_a, "summary"_a, "Make sortlast.schedule._functions[name] an algorithm.");
  offer_registered(module);
}

}  // namespace sortlast::python
