// The measurement of a machine.
#include <optional>
#include <string>

#include "handle.hpp"
#include "mpi/options.hpp"
#include "sortlast/error.hpp"
#include "sortlast/tune/probe.hpp"

struct sortlast_report : sortlast::capi::Handle {
  std::optional<sortlast::MachineReport> report;  // none if measuring failed
  std::string path;                               // of the profile that was kept
};

using namespace sortlast;
using namespace sortlast::capi;

namespace {

const MachineReport& made(const sortlast_report& handle) {
  if (!handle.report) throw ArgumentError("nothing was measured; check the status of the measurement");
  return *handle.report;
}

}  // namespace

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
