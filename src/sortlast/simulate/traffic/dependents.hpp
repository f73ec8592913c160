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

}  // namespace sortlast::simulate
