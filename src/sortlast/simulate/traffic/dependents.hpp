// Dependents: the causes of traffic turned round, and how many each message still waits for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

class Dependents {
 public:
  // No messages.
  Dependents() = default;
  explicit Dependents(const Traffic& traffic);

  // What message m causes.
  std::span<const Traffic::Message> of(Traffic::Message m) const;
  // Causes that m still waits for.
  std::int32_t missing(Traffic::Message m) const { return missing_[static_cast<std::size_t>(m)]; }
  // One cause of m is over; true: it was the last.
  bool settle(Traffic::Message m) { return --missing_[static_cast<std::size_t>(m)] == 0; }
  std::int64_t bytes() const;

 private:
  std::vector<std::int64_t> first_;
  std::vector<Traffic::Message> messages_;
  std::vector<std::int32_t> missing_;
};

// Turn the list of causes round by counting.
inline Dependents::Dependents(const Traffic& traffic)
    : first_(static_cast<std::size_t>(traffic.messages()) + 1),
      messages_(traffic.causes.size()),
      missing_(static_cast<std::size_t>(traffic.messages())) {
  for (const Traffic::Message cause : traffic.causes) ++first_[static_cast<std::size_t>(cause) + 1];
  for (std::size_t m = 0; m < missing_.size(); ++m) first_[m + 1] += first_[m];
  std::vector<std::int64_t> at(first_.begin(), first_.end() - 1);
  for (std::size_t m = 0; m < missing_.size(); ++m) {
    missing_[m] = static_cast<std::int32_t>(traffic.first_cause[m + 1] - traffic.first_cause[m]);
    for (std::int64_t i = traffic.first_cause[m]; i < traffic.first_cause[m + 1]; ++i) {
      const auto cause = static_cast<std::size_t>(traffic.causes[static_cast<std::size_t>(i)]);
      messages_[static_cast<std::size_t>(at[cause]++)] = static_cast<Traffic::Message>(m);
    }
  }
}

inline std::span<const Traffic::Message> Dependents::of(Traffic::Message m) const {
  const auto at = static_cast<std::size_t>(m);
  return std::span(messages_).subspan(static_cast<std::size_t>(first_[at]),
                                      static_cast<std::size_t>(first_[at + 1] - first_[at]));
}

inline std::int64_t Dependents::bytes() const {
  return static_cast<std::int64_t>(first_.capacity() * sizeof(first_[0]) +
                                   messages_.capacity() * sizeof(messages_[0]) +
                                   missing_.capacity() * sizeof(missing_[0]));
}

}  // namespace sortlast::simulate
