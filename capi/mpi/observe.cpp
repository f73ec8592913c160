// Measurements: times, explanations and events of a compositor's frames, and a machine.
#include <optional>
#include <string>
#include <vector>

#include "mpi/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/tune/probe.hpp"

struct sortlast_report : sortlast::capi::Handle {
  std::optional<sortlast::MachineReport> report;  // none if measuring failed
  std::string path;                               // of the saved profile
};

using namespace sortlast;
using namespace sortlast::capi;

namespace {

constexpr std::size_t first_timing =
    offsetof(sortlast_timing, peak_bytes) + sizeof(sortlast_timing::peak_bytes);

constexpr std::int32_t number_of(Activity activity) { return static_cast<std::int32_t>(activity); }
static_assert(number_of(Activity::agree) == SORTLAST_ACTIVITY_AGREE);
static_assert(number_of(Activity::send) == SORTLAST_ACTIVITY_SEND);
static_assert(number_of(Activity::receive) == SORTLAST_ACTIVITY_RECEIVE);
static_assert(number_of(Activity::wait) == SORTLAST_ACTIVITY_WAIT);
static_assert(number_of(Activity::blend) == SORTLAST_ACTIVITY_BLEND);
static_assert(number_of(Activity::gather) == SORTLAST_ACTIVITY_GATHER);
static_assert(number_of(Activity::search) == SORTLAST_ACTIVITY_SEARCH);

const MachineReport& made(const sortlast_report& handle) {
  if (!handle.report) throw ArgumentError("nothing was measured; check the status of the measurement");
  return *handle.report;
}

}  // namespace

sortlast_status sortlast_compositor_timing(sortlast_compositor* compositor, sortlast_timing* timing) {
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    if (timing == nullptr) throw ArgumentError("the place for the timing is NULL");
    const Timing& of = made(*compositor).timing();
    const sortlast_timing known{sizeof known,
                                of.agree,
                                of.late,
                                of.wait,
                                of.blend,
                                of.gather,
                                of.total,
                                of.bytes_sent,
                                of.bytes_received,
                                of.messages_sent,
                                of.messages_received,
                                of.stages,
                                of.peak_bytes,
                                of.search};
    write_struct(timing, known, first_timing, "sortlast_timing", "SORTLAST_TIMING_INIT");
  });
}

const char* sortlast_compositor_algorithm(const sortlast_compositor* compositor) {
  return compositor == nullptr ? "" : compositor->algorithm.c_str();
}

const char* sortlast_compositor_explain(sortlast_compositor* compositor) {
  if (compositor == nullptr) return "";
  compositor->explanation.clear();
  guarded(*compositor, [&] { compositor->explanation = made(*compositor).explain(); });
  return compositor->explanation.c_str();
}

sortlast_status sortlast_compositor_trace(sortlast_compositor* compositor, bool on) {
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] { made(*compositor).trace(on); });
}

sortlast_status sortlast_compositor_events(sortlast_compositor* compositor, const sortlast_event** events,
                                           int64_t* count) {
  if (events != nullptr) *events = nullptr;
  if (count != nullptr) *count = 0;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    if (events == nullptr || count == nullptr)
      throw ArgumentError("the place for the events or for their count is NULL");
    std::vector<sortlast_event>& all = compositor->events;
    all.clear();
    for (const Event& event : made(*compositor).events()) {
      all.push_back(
          {number_of(event.activity), event.peer, event.stage, event.begin, event.end, event.bytes});
    }
    *events = all.data();
    *count = static_cast<int64_t>(all.size());
  });
}

sortlast_status sortlast_compositor_clear_events(sortlast_compositor* compositor) {
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] { made(*compositor).clear_events(); });
}

sortlast_status sortlast_machine_measure(MPI_Comm comm, const sortlast_tune_options* options,
                                         sortlast_report** report) {
  return make_handle(report, [&](sortlast_report& handle, std::string problem) {
    TuneOptions all;
    const std::string wrong = problem_in([&] { all = tune_options_of(options); });
    if (problem.empty()) problem = wrong;
    handle.report = detail::measure_machine(comm, all, problem);
  });
}

const char* sortlast_report_message(const sortlast_report* report) { return message_of(report); }

void sortlast_report_free(sortlast_report* report) { delete report; }

sortlast_status sortlast_report_machine(sortlast_report* report, sortlast_machine* median,
                                        sortlast_machine* low, sortlast_machine* high) {
  if (report == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*report, [&] {
    const MachineReport& found = made(*report);
    write_machine(found.machine, median);
    write_machine(found.low, low);
    write_machine(found.high, high);
  });
}

bool sortlast_report_measured(const sortlast_report* report, const char* time) {
  if (report == nullptr || !report->report || time == nullptr) return false;
  for (const std::string& name : report->report->measured)
    if (name == time) return true;
  return false;
}

sortlast_status sortlast_report_save(sortlast_report* report, const char* path) {
  if (report == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*report, [&] {
    if (path == nullptr) throw ArgumentError("the path is NULL; expected the name of a file");
    save_machine(made(*report).machine, path);
  });
}

sortlast_status sortlast_report_keep(sortlast_report* report, const char** path) {
  if (path != nullptr) *path = nullptr;
  if (report == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*report, [&] {
    report->path = keep_profile(made(*report).machine);
    if (path != nullptr) *path = report->path.c_str();
  });
}
