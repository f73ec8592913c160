// Machine profiles: several measurements combined, and the file that stores the result.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/tune/probe.hpp"

namespace sortlast {
namespace {

constexpr double lap_seconds = 0.25;  // per measurement
constexpr double least_laps = 3;
constexpr double most_laps = 1e6;

void check_tune_options(const TuneOptions& options) {
  if (!(options.seconds > 0) || !std::isfinite(options.seconds))
    throw ArgumentError("seconds is " + text(options.seconds) + "; expected a time, more than 0");
  if (options.node_ranks < 0)
    throw ArgumentError("node_ranks is " + std::to_string(options.node_ranks) + "; expected 0 or more");
  if (!(options.timeout > 0))
    throw ArgumentError("timeout is " + text(options.timeout) + " s; expected more than 0");
}

// A communicator with its nodes, for several measurements.
class Laps {
 public:
  Laps(MPI_Comm comm, const TuneOptions& options, double timeout)
      : data_(duplicate(comm, timeout, "measure_machine", options.interrupt)),
        alarm_(data_, timeout, options.interrupt) {}

  std::vector<Machine> run(const TuneOptions& options, const std::string& problem) {
    try {
      agree_on(options, problem);
      const Node node = make_node(data_, alarm_, options.node_ranks);
      const int laps =
          static_cast<int>(std::clamp(std::round(options.seconds / lap_seconds), least_laps, most_laps));
      std::vector<Machine> machines;
      for (int lap = 0; lap < laps; ++lap) {
        if (options.progress) options.progress(lap, laps);
        machines.push_back(probe(data_, alarm_, node, options.seconds / laps));
      }
      if (options.progress) options.progress(laps, laps);
      return machines;
    } catch (...) {
      give_up(data_, alarm_);
      throw;
    }
  }

  int ranks() const { return data_.size(); }

 private:
  void agree_on(const TuneOptions& options, const std::string& problem) const {
    Arguments arguments("measure_machine");
    arguments.add("seconds", text(options.seconds));
    arguments.add("node_ranks", std::to_string(options.node_ranks));
    const std::string wrong = problem.empty() ? problem_of([&] { check_tune_options(options); }) : problem;
    agree(data_, alarm_, arguments, wrong);
  }

  Communicator data_;
  Alarm alarm_;
};

// The successful measurements of one time, ascending. A time that could not be measured has exactly its
// default value.
std::vector<double> measured(const std::vector<Machine>& machines, double Machine::* time) {
  std::vector<double> values;
  for (const Machine& machine : machines)
    if (machine.*time != Machine{}.*time) values.push_back(machine.*time);
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

MachineReport detail::measure_machine(MPI_Comm comm, const TuneOptions& options, const std::string& problem) {
  // Measure several times.
  Laps laps(comm, options, options.timeout > 0 ? options.timeout : TuneOptions{}.timeout);
  const std::vector<Machine> machines = laps.run(options, problem);

  // Combine the measurements, time by time.
  MachineReport report;
  for (const MachineTime& time : machine_times) {
    const std::vector<double> values = measured(machines, time.member);
    if (values.empty()) continue;
    report.measured.emplace_back(time.name);
    report.machine.*time.member = values[(values.size() - 1) / 2];
    report.low.*time.member = values.front();
    report.high.*time.member = values.back();
  }
  for (Machine* const machine : {&report.machine, &report.low, &report.high}) {
    machine->cores = machines.front().cores;
    machine->ranks = machines.front().ranks;
  }
  report.ranks = laps.ranks();
  report.messages = options.node_ranks == 1;
  return report;
}

MachineReport measure_machine(MPI_Comm comm, const TuneOptions& options) {
  return detail::measure_machine(comm, options, "");
}

std::string keep_profile(const Machine& machine) {
  check_machine(machine);
  const std::string path = kept_profile_path();
  if (path.empty())
    throw ArgumentError(
        "there is no place to keep a profile; set HOME or XDG_CACHE_HOME, or write it to a file and name "
        "that "
        "by SORTLAST_PROFILE");
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);

  // Write under another name first, so that a compositor made at the same time reads either the old or the
  // new file.
  const std::string part = path + "." + std::to_string(getpid());
  try {
    save_machine(machine, part);
    std::filesystem::rename(part, path, failure);
    if (failure) throw ArgumentError(path + ": the profile cannot be written: " + failure.message());
  } catch (...) {
    std::remove(part.c_str());
    throw;
  }
  return path;
}

}  // namespace sortlast
