#include <ostream>
#include <string>

#include "sortlast/simulate/traffic/files.hpp"

namespace sortlast::simulate {
namespace {

// Labels: "s5.0" is message 5 of iteration 0 where it is sent, "r5.0" where it is received, "c5.0" a
// computation.
std::string label(char kind, Traffic::Message m, std::int64_t iteration) {
  return kind + std::to_string(m) + "." + std::to_string(iteration);
}

}  // namespace

void write_goal(const Traffic& traffic, std::ostream& out) {
  check(traffic);
  const std::vector<std::int32_t> source = sources(traffic);
  const auto at = [](Traffic::Message m) { return static_cast<std::size_t>(m); };
  const auto sent_as = [&](Traffic::Message m) {
    return traffic.destination[at(m)] == source[at(m)] ? 'c' : 's';
  };
  std::vector<std::vector<Traffic::Message>> received(static_cast<std::size_t>(traffic.tasks));
  for (Traffic::Message m = 0; m < traffic.messages(); ++m) {
    if (sent_as(m) == 's') received[at(traffic.destination[at(m)])].push_back(m);
  }

  out << "num_ranks " << traffic.tasks << '\n';
  for (std::int32_t task = 0; task < traffic.tasks; ++task) {
    out << "rank " << task << " {\n";
    std::string before;
    for (std::int64_t r = 0; r < traffic.repeats; ++r) {
      for (const Traffic::Message m : received[at(task)]) {
        out << label('r', m, r) << ": recv " << traffic.size[at(m)] << "b from " << source[at(m)] << " tag "
            << m << '\n';
      }
      for (Traffic::Message m = traffic.first[at(task)]; m < traffic.first[at(task) + 1]; ++m) {
        const char kind = sent_as(m);
        out << label(kind, m, r) << ": ";
        if (kind == 'c') {
          out << "calc " << traffic.size[at(m)] << '\n';
        } else {
          out << "send " << traffic.size[at(m)] << "b to " << traffic.destination[at(m)] << " tag " << m
              << '\n';
        }
      }
    }
    for (std::int64_t r = 0; r < traffic.repeats; ++r) {
      for (Traffic::Message m = traffic.first[at(task)]; m < traffic.first[at(task) + 1]; ++m) {
        const std::string mine = label(sent_as(m), m, r);
        if (traffic.in_order && !before.empty()) out << mine << " requires " << before << '\n';
        before = mine;
        for (std::int64_t i = traffic.first_cause[at(m)]; i < traffic.first_cause[at(m) + 1]; ++i) {
          const Traffic::Message cause = traffic.causes[static_cast<std::size_t>(i)];
          const char kind = source[at(cause)] == task ? sent_as(cause) : 'r';
          out << mine << " requires " << label(kind, cause, r) << '\n';
        }
      }
    }
    out << "}\n";
  }
}

}  // namespace sortlast::simulate
