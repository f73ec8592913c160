// Timing and trace events.
#include "sortlast/timing.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "sortlast/timing.hpp"

namespace nb = nanobind;

namespace sortlast::python {

void bind_timing(nb::module_& module) {
  nb::class_<Timing>(module, "Timing",
                     "Seconds of one frame by phase, and what it moved: measured on this rank, or priced or "
                     "simulated for the slowest one. Phases that are not known are 0.")
      .def_ro("agree", &Timing::agree, "Seconds for checking that all ranks passed the same arguments.")
      .def_ro("wait", &Timing::wait, "Seconds of transfers that no blending hid.")
      .def_ro("blend", &Timing::blend, "Seconds of merging fragments.")
      .def_ro("gather", &Timing::gather, "Seconds of collecting the tiles at the root.")
      .def_ro("total", &Timing::total, "Seconds of the whole frame.")
      .def_ro("bytes_sent", &Timing::bytes_sent)
      .def_ro("bytes_received", &Timing::bytes_received)
      .def_ro("messages_sent", &Timing::messages_sent)
      .def_ro("messages_received", &Timing::messages_received)
      .def_ro("stages", &Timing::stages)
      .def_ro("peak_bytes", &Timing::peak_bytes,
              "Most memory held beyond the input image and the result, in bytes.")
      .def("__repr__", [](const Timing& timing) {
        return "Timing(total=" + std::to_string(timing.total) + " s, agree=" + std::to_string(timing.agree) +
               ", wait=" + std::to_string(timing.wait) + ", blend=" + std::to_string(timing.blend) +
               ", gather=" + std::to_string(timing.gather) +
               ", bytes_sent=" + std::to_string(timing.bytes_sent) +
               ", messages_sent=" + std::to_string(timing.messages_sent) +
               ", stages=" + std::to_string(timing.stages) + ")";
      });

  nb::class_<Event>(module, "Event",
                    "One thing that a rank did, in seconds of a clock that all processes of a host share.")
      .def_prop_ro(
          "name", [](const Event& event) { return std::string(activity_name(event.activity)); },
          "agree, send, receive, wait, blend or gather.")
      .def_ro("begin", &Event::begin)
      .def_ro("end", &Event::end)
      .def_ro("peer", &Event::peer, "The other rank of a send or receive, the root of a gather; else -1.")
      .def_ro("stage", &Event::stage, "Stage of a send or receive, counted from 1; else -1.")
      .def_ro("bytes", &Event::bytes, "Bytes moved, or read by a blend.");
}

}  // namespace sortlast::python
