// The flow simulator, and compositing on a network.
#include "sortlast/simulate/flow.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <utility>

#include "errors.hpp"
#include "progress.hpp"
#include "value.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace sortlast::python {
namespace {

using simulate::CompositingOptions;
using simulate::CompositingResult;
using simulate::FlowOptions;
using simulate::FlowResult;
using simulate::TaskResult;
using simulate::Traffic;

// A run with its traffic and its wall time.
struct TimedFlow {
  std::shared_ptr<const Traffic> traffic;
  FlowResult run;
  double elapsed = 0;
};

// A frame, with the data that flows do not have.
struct TimedFrame : TimedFlow {
  Timing timing;
  double hidden = 0;
  double frames_per_second = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TimedFlow run_flows(const simulate::Ways& ways, std::shared_ptr<const Traffic> traffic,
                    const fabric::Placement& placement, FlowOptions options, const ProgressCall& progress) {
  options.progress = progress_of(progress);
  const nb::gil_scoped_release release;
  const auto start = std::chrono::steady_clock::now();
  FlowResult run = simulate_flows(ways, *traffic, placement, options);
  return {std::move(traffic), std::move(run), seconds_since(start)};
}

TimedFrame run_frame(const Schedule& schedule, const simulate::Ways& ways, const fabric::Placement& placement,
                     const CompositingOptions& compositing, FlowOptions options,
                     const ProgressCall& progress) {
  options.progress = progress_of(progress);
  const nb::gil_scoped_release release;
  const auto start = std::chrono::steady_clock::now();
  CompositingResult frame = simulate::simulate(schedule, ways, placement, compositing, options);
  TimedFrame made;
  made.timing = frame.timing;
  made.hidden = frame.hidden;
  made.frames_per_second = frame.frames_per_second();
  made.traffic = std::make_shared<const Traffic>(std::move(frame.traffic));
  made.run = std::move(frame.flow);
  made.elapsed = seconds_since(start);
  return made;
}

template <typename T>
Vector<T> column(const TimedFlow& flow, T TaskResult::* member) {
  std::vector<T> values;
  values.reserve(flow.run.tasks.size());
  for (const TaskResult& task : flow.run.tasks) values.push_back(task.*member);
  return array_of(std::move(values));
}

// All members of a run, as returned by std::tie().
auto tie_flow(auto& flow) {
  auto& run = flow.run;
  return std::tie(flow.traffic, flow.elapsed, run.seconds, run.messages, run.bytes, run.channel_bytes,
                  run.tasks, run.log, run.events, run.shares, run.bytes_used);
}

void bind_options(nb::module_& module) {
  nb::class_<FlowOptions>(module, "FlowOptions", "Settings of the flow simulator.")
      .def(
          "__init__",
          [](FlowOptions* self, double link_bytes_per_second, double message_seconds,
             std::int32_t sends_at_once, std::int32_t receives_at_once, double precision, bool message_log,
             bool host_links, bool ordered_links, std::vector<double> background) {
            new (self) FlowOptions{
                link_bytes_per_second, message_seconds, sends_at_once, receives_at_once,      precision,
                message_log,           host_links,      ordered_links, std::move(background), {}};
          },
          nb::kw_only(), "link_bytes_per_second"_a = 1.25e9, "message_seconds"_a = 0., "sends_at_once"_a = 1,
          "receives_at_once"_a = 0, "precision"_a = 1e-9, "message_log"_a = false, "host_links"_a = true,
          "ordered_links"_a = false, "background"_a = std::vector<double>());
  nb::class_<CompositingOptions>(module, "CompositingOptions", "Parameters of a simulated frame.")
      .def(
          "__init__",
          [](CompositingOptions* self, std::int64_t pixel_bytes, double active, double blend_bytes_per_second,
             bool overlap, std::int32_t window, bool rendezvous, bool barrier, double stage_seconds,
             std::int64_t chunk_bytes) {
            new (self) CompositingOptions{pixel_bytes, active,  blend_bytes_per_second, overlap,    window,
                                          rendezvous,  barrier, stage_seconds,          chunk_bytes};
          },
          nb::kw_only(), "pixel_bytes"_a = 16, "active"_a = 1., "blend_bytes_per_second"_a = 0.,
          "overlap"_a = true, "window"_a = -1, "rendezvous"_a = true, "barrier"_a = false,
          "stage_seconds"_a = 0., "chunk_bytes"_a = 0);
}

void bind_figures(nb::class_<TimedFlow>& run) {
  run.def_prop_ro(
         "seconds", [](const TimedFlow& f) { return f.run.seconds; }, "Time until everything has ended.")
      .def_prop_ro(
          "elapsed", [](const TimedFlow& f) { return f.elapsed; }, "Wall time of the simulation in seconds.")
      .def_prop_ro(
          "traffic", [](const TimedFlow& f) { return f.traffic; }, "The simulated traffic.")
      .def_prop_ro(
          "messages", [](const TimedFlow& f) { return f.run.messages; }, "Number that arrived.")
      .def_prop_ro(
          "bytes", [](const TimedFlow& f) { return f.run.bytes; }, "Number that arrived.")
      .def_prop_ro(
          "events", [](const TimedFlow& f) { return f.run.events; },
          "Number of times at which something happened.")
      .def_prop_ro(
          "shares", [](const TimedFlow& f) { return f.run.shares; }, "Number of rates that were computed.")
      .def_prop_ro(
          "bytes_used", [](const TimedFlow& f) { return f.run.bytes_used; },
          "Memory of the simulation, without topology and traffic.")
      .def("__repr__", [](const TimedFlow& f) {
        return "<FlowResult seconds=" + std::to_string(f.run.seconds) +
               " messages=" + std::to_string(f.run.messages) + ">";
      });
}

void bind_arrays(nb::class_<TimedFlow>& run) {
  run.def_prop_ro(
         "channel_bytes", [](const TimedFlow& f) { return array_of(f.run.channel_bytes); }, owned,
         "Bytes on each channel of the topology: int64 array (channels,).")
      .def_prop_ro(
          "task_end", [](const TimedFlow& f) { return column(f, &TaskResult::end); }, owned,
          "Seconds until the last message or computation of each task ended: float64 array (tasks,).")
      .def_prop_ro(
          "task_compute", [](const TimedFlow& f) { return column(f, &TaskResult::compute); }, owned,
          "Seconds of computation of each task: float64 array (tasks,).")
      .def_prop_ro(
          "task_hidden", [](const TimedFlow& f) { return column(f, &TaskResult::hidden); }, owned,
          "Seconds of computation of each task while its own messages were in flight: float64 array "
          "(tasks,).")
      .def_prop_ro(
          "log_messages",
          [](const TimedFlow& f) {
            std::vector<std::int64_t> rows;
            for (const simulate::FlowRecord& record : f.run.log) {
              rows.insert(rows.end(), {record.message, record.iteration});
            }
            return matrix_of(std::move(rows), 2);
          },
          owned,
          "If a log was requested: each message or computation that ended, and its repetition, in order of "
          "their\n"
          "ends: int64 array (ended, 2).")
      .def_prop_ro(
          "log_seconds",
          [](const TimedFlow& f) {
            std::vector<double> rows;
            for (const simulate::FlowRecord& record : f.run.log) {
              rows.insert(rows.end(), {record.start, record.end});
            }
            return matrix_of(std::move(rows), 2);
          },
          owned, "Start and end of each row of log_messages: float64 array (ended, 2).")
      .def_prop_ro(
          "bandwidth",
          [](const TimedFlow& f) {
            const auto p = static_cast<std::size_t>(f.traffic->tasks);
            return matrix_of(simulate::bandwidth_matrix(*f.traffic, f.run), p);
          },
          owned,
          "Bytes per second from each task (row) to each other, over the time that their messages took; 0 "
          "without\n"
          "messages: float64 array (tasks, tasks). Raises ArgumentError if no log was requested, or for more "
          "than\n"
          "16,384 tasks.");
}

}  // namespace

void bind_flow(nb::module_& module) {
  bind_options(module);
  nb::class_<TimedFlow> run(module, "FlowResult", "Result of a flow simulation.");
  bind_figures(run);
  bind_arrays(run);
  bind_pickle(run, [](auto& f) { return tie_flow(f); });
  nb::class_<TimedFrame, TimedFlow> frame(module, "Frame", "A frame composited on a simulated network.");
  frame
      .def_prop_ro(
          "timing", [](const TimedFrame& f) { return f.timing; },
          "Times of the rank that ends last; `wait` is the time when it did not blend.")
      .def_prop_ro(
          "frames_per_second", [](const TimedFrame& f) { return f.frames_per_second; },
          "Frames per second of consecutive frames; 0 for a frame that takes no time.")
      .def_prop_ro(
          "hidden", [](const TimedFrame& f) { return f.hidden; },
          "Share of this rank's blending that does not lengthen the frame, 0 to 1; 0 without blending.")
      .def("__repr__", [](const TimedFrame& f) {
        return "<Frame " + f.traffic->name + " of " + std::to_string(f.traffic->tasks) + " ranks, " +
               std::to_string(f.frames_per_second) + " FPS>";
      });
  bind_pickle(frame, [](auto& f) {
    return std::tuple_cat(tie_flow(f), std::tie(f.timing, f.hidden, f.frames_per_second));
  });
  module.def("simulate_flows", &run_flows, "ways"_a, "traffic"_a, "placement"_a, "options"_a,
             "progress"_a = nb::none(),
             "Simulate traffic as flows on Routes or a Spreading. `placement`: host of each task; "
             "`progress`: called\n"
             "now and then with the finished part, 0 to 1; an exception that it raises, or a result of "
             "False, ends the\n"
             "run.");
  module.def("compositing_traffic", &simulate::compositing_traffic, "schedule"_a, "options"_a,
             nb::call_guard<nb::gil_scoped_release>(), "A frame of a schedule as traffic.");
  module.def("simulate_frame", &run_frame, "schedule"_a, "ways"_a, "placement"_a, "compositing"_a,
             "options"_a, "progress"_a = nb::none(), "Simulate a frame of a schedule as flows.");
}

}  // namespace sortlast::python
