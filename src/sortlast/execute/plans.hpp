// Plans: what a compositor keeps from frame to frame, to plan the next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/machine_profile.hpp"
#include "sortlast/execute/mpi/pixel_exchange.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/execute/mpi/string_exchange.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/plan/plan.hpp"

namespace sortlast {

// Of frames of one image a rank.
struct ImagePlans {
  // What all ranks know of the last frame by the same options, if they compared by messages.
  struct Known {
    Size size;
    Format format;
    Op op;
    int root;
    Numbers numbers;
  };

  std::unique_ptr<AlgorithmChoice> algorithm;
  MachineProfile profile;
  std::int32_t cores = 0;  // of the machine, if all ranks are on one and send each other messages
  Survey survey;           // of this frame's image, and then of all
  std::optional<Known> known;
  Interleaving interleaving;  // of the last frame
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<PixelExchange> exchange;  // of the plan, once there was a frame
  std::vector<int> ranks;                   // of the plan; empty: all
  std::string name;                         // what the plan is for, beside its setting
  Format format;

  // What all ranks have found out replaces what this one knew.
  void take_numbers(const Numbers& of_all) { survey.emptiness = of_all.least; }
  // The ranks disagreed, and may know different frames: what is chosen next may not depend on earlier ones.
  void forget() {
    known.reset();
    algorithm->forget();
    exchange.reset();
  }
  // Whether there is the plan of such a frame.
  bool planned(const Setting& wanted, const std::string& wanted_name, const std::vector<int>& wanted_ranks,
               const Format& wanted_format, Op op) const {
    if (!plan) return false;
    const Setting& setting = plan->schedule->setting();
    return wanted_name == name && wanted.n == setting.n && wanted.order == setting.order &&
           wanted.commutes == setting.commutes && wanted_ranks == ranks && wanted_format == format &&
           op == plan->indexed.op;
  }
};

// Of frames of contents of varying size.
struct LayerPlans {
  // Of tags, the last ones up to the limit are those of the heads of strings (mpi/messages.hpp).
  static constexpr std::int32_t head_tags = 4096;

  std::shared_ptr<const Schedule> schedule;
  std::string name;
  bool in_place = false;                     // no rank sends any of it as a message
  std::shared_ptr<StringExchange> exchange;  // of the schedule, once there was a frame
  std::int32_t calls = 0;                    // counted round the tags of heads
};

// Who takes part in a frame, where frames do not wait for late ranks.
struct Attendees {
  std::unique_ptr<Rendezvous> rendezvous;  // of all calls
  Attendance attendance;                   // of the last frame that left late ranks out
  std::vector<std::int32_t> left_out;
  double deadline = 0;  // of this rank's call [s]
};

}  // namespace sortlast
