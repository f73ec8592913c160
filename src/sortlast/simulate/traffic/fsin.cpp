// Traffic in files: traces of FSIN. For GOAL see program/.
#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/scan.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

constexpr std::int64_t highest_task = (1 << 20) - 1;

struct TraceLine {
  char what = 's';
  std::int32_t from = 0, to = 0;
  std::int64_t tag = 0, size = 0;
};

TraceLine parse(const Scanner& scan, const std::vector<std::string_view>& words) {
  const std::string_view what = words[0];
  const auto task = [&](std::size_t i) {
    return static_cast<std::int32_t>(scan.number(words[i], "", highest_task));
  };
  if (what == "c") {
    if (words.size() != 3) scan.fail("expected 'c TASK NANOSECONDS'");
    return {'c', task(1), task(1), 0, scan.number(words[2])};
  }
  if (what != "s" && what != "r") scan.fail("'" + excerpt(what) + "' is none of s, r, c");
  if (words.size() != 5) scan.fail("expected '" + std::string(what) + " FROM TO TAG BYTES'");
  return {what[0], task(1), task(2), scan.number(words[3]), scan.number(words[4])};
}

}  // namespace

Traffic read_fsin(std::string_view text, std::string name) {
  Scanner scan(text, name);
  std::vector<TraceLine> trace;
  std::int32_t tasks = 1;
  for (std::vector<std::string_view> words; scan.next_words(words, "#");) {
    trace.push_back(parse(scan, words));
    tasks = std::max({tasks, trace.back().from + 1, trace.back().to + 1});
  }

  Programs programs(std::move(name), tasks);
  for (const TraceLine& line : trace) {
    if (line.what == 'c') {
      programs.compute(line.from, line.size);
    } else if (line.from != line.to && line.what == 's') {
      programs.send(line.from, line.to, line.size, line.tag);
    } else if (line.from != line.to) {
      programs.receive(line.to, line.from, line.tag);
    }
  }
  return std::move(programs).finish();
}

void write_fsin(const Traffic& traffic, std::ostream& out) {
  check(traffic);
  if (!traffic.in_order) throw ArgumentError("traffic '" + traffic.name + "' is not in order; write GOAL");
  const std::vector<std::int32_t> source = sources(traffic);
  const auto at = [](Traffic::Message m) { return static_cast<std::size_t>(m); };
  for (std::int32_t task = 0; task < traffic.tasks; ++task) {
    for (std::int64_t iteration = 0; iteration < traffic.repeats; ++iteration) {
      for (Traffic::Message m = traffic.first[at(task)]; m < traffic.first[at(task) + 1]; ++m) {
        for (std::int64_t i = traffic.first_cause[at(m)]; i < traffic.first_cause[at(m) + 1]; ++i) {
          const Traffic::Message cause = traffic.causes[static_cast<std::size_t>(i)];
          if (source[at(cause)] == task) continue;
          out << "r " << source[at(cause)] << ' ' << task << ' ' << cause << ' ' << traffic.size[at(cause)]
              << '\n';
        }
        if (traffic.destination[at(m)] == task) {
          out << "c " << task << ' ' << traffic.size[at(m)] << '\n';
        } else {
          out << "s " << task << ' ' << traffic.destination[at(m)] << ' ' << m << ' ' << traffic.size[at(m)]
              << '\n';
        }
      }
    }
  }

  // Messages that nothing waits for must also be received, for FSIN to wait for them.
  std::vector<bool> waited(source.size());
  for (const Traffic::Message cause : traffic.causes) waited[at(cause)] = true;
  for (std::int64_t iteration = 0; iteration < traffic.repeats; ++iteration) {
    for (Traffic::Message m = 0; m < traffic.messages(); ++m) {
      if (waited[at(m)] || traffic.destination[at(m)] == source[at(m)]) continue;
      out << "r " << source[at(m)] << ' ' << traffic.destination[at(m)] << ' ' << m << ' '
          << traffic.size[at(m)] << '\n';
    }
  }
}

}  // namespace sortlast::simulate
