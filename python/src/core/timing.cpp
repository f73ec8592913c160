// Timing and trace events.
#include "sortlast/timing.hpp"

#include <nanobind/nanobind.h>

#include "value.hpp"

namespace nb = nanobind;

namespace sortlast::python {

void bind_timing(nb::module_& module) {
  nb::class_<Timing> timing(
      module, "Timing",
      "Seconds of one frame by phase, and what it moved: measured on this rank, or priced or "
      "simulated for the slowest one. Phases that are not known are 0.");
  bind_value(
      timing, field("total", &Timing::total, "Seconds of the whole frame."),
      field("agree", &Timing::agree,
            "Seconds for checking that all ranks passed the same arguments; ``late`` is a part of it."),
      field("late", &Timing::late,
            "Seconds of waiting for ranks that came later to the frame; 0 where that is not known."),
      field("wait", &Timing::wait, "Seconds of transfers that no blending hid."),
      field("blend", &Timing::blend, "Seconds of merging fragments."),
      field("gather", &Timing::gather, "Seconds of collecting the tiles at the root."),
      field("bytes_sent", &Timing::bytes_sent), field("bytes_received", &Timing::bytes_received),
      field("messages_sent", &Timing::messages_sent), field("messages_received", &Timing::messages_received),
      field("stages", &Timing::stages),
      field("peak_bytes", &Timing::peak_bytes,
            "Most memory held beyond the input image and the result, in bytes."));

  nb::class_<Event> event(
      module, "Event",
      "One thing that a rank did, in seconds of a clock that all processes of a host share.");
  bind_value(
      event, field("name", &Event::activity, "agree, send, receive, wait, blend or gather."),
      field("begin", &Event::begin), field("end", &Event::end),
      field("peer", &Event::peer, "The other rank of a send or receive, the root of a gather; else -1."),
      field("stage", &Event::stage, "Stage of a send or receive, counted from 1; else -1."),
      field("bytes", &Event::bytes, "Bytes moved, or read by a blend."));
}

}  // namespace sortlast::python
