// Pattern: who sends to whom, stage by stage. Made from a schedule, a permutation, or traffic in a file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast::fabric {

// One message; source and destination are participants.
struct Flow {
  std::int32_t source = 0;
  std::int32_t destination = 0;
  std::int64_t bytes = 0;

  bool operator==(const Flow&) const = default;
};

// Flows are made stage by stage, so that the p (p - 1) of a shift need never be held at once.
class SORTLAST_API Pattern {
 public:
  virtual ~Pattern() = default;
  virtual std::string name() const = 0;
  virtual std::int32_t participants() const = 0;
  virtual std::int64_t stages() const = 0;
  // Flows of stage 0 .. stages() - 1; none from a participant to itself.
  virtual std::vector<Flow> flows(std::int64_t stage) const = 0;
  // Whether stage s is exactly i -> (i + s + 1) mod p for all i: analysis has a fast way for it.
  virtual bool is_shift() const { return false; }
};

// All p - 1 shift permutations, `bytes` a message (Cavin and Demengeon, section 2.1.4).
SORTLAST_API std::shared_ptr<const Pattern> shift_pattern(std::int32_t p, std::int64_t bytes = 1);
// Everybody to everybody in one stage.
SORTLAST_API std::shared_ptr<const Pattern> all_to_all_pattern(std::int32_t p, std::int64_t bytes = 1);
// One stage: i sends to destination[i]; -1: to nobody.
SORTLAST_API std::shared_ptr<const Pattern> permutation_pattern(std::vector<std::int32_t> destination,
                                                                std::int64_t bytes = 1);
// The transfers of a schedule by its stages, pixels times pixel_bytes; transfers of no pixels are left out.
SORTLAST_API std::shared_ptr<const Pattern> schedule_pattern(const Schedule& schedule,
                                                             std::int64_t pixel_bytes);
// Given flows by stage.
SORTLAST_API std::shared_ptr<const Pattern> traffic_pattern(std::string name, std::int32_t p,
                                                            std::vector<std::vector<Flow>> stages);

}  // namespace sortlast::fabric
