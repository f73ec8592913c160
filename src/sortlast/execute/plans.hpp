// Plans: the data that a compositor keeps between frames in order to plan the next one.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/execute/device/gpu.hpp"
#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/device_exchange.hpp"
#include "sortlast/execute/mpi/machine_profile.hpp"
#include "sortlast/execute/mpi/pixel_exchange.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/execute/mpi/string_exchange.hpp"
#include "sortlast/execute/node/reused_memory.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/plan/plan.hpp"

namespace sortlast {

// For frames of one image per rank.
struct ImagePlans {
  // The last frame with the same options, as known to all ranks, if they compared by messages.
  struct Known {
    Size size;
    Format format;
    Op op;
    int root;
    Numbers numbers;
  };

  std::unique_ptr<AlgorithmChoice> algorithm;
  MachineProfile profile;
  std::int32_t cores = 0;  // of the machine, if all ranks are on one and exchange messages
  Survey survey;           // of this frame's image, later of all images
  std::optional<Known> known;
  Interleaving interleaving;  // of the last frame
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<PixelExchange> exchange;  // for the plan, after the first frame
  std::vector<int> ranks;                   // of the plan; empty: all
  std::string name;                         // the plan's algorithm
  Format format;

  // Replace this rank's numbers by those found over all ranks.
  void take_numbers(const Numbers& of_all) { survey.emptiness = of_all.least; }
  // The ranks disagreed and may know different frames, so the next choice must not depend on earlier ones.
  void forget() {
    known.reset();
    algorithm->forget();
    exchange.reset();
  }
  // Whether a plan for such a frame exists.
  bool planned(const Setting& wanted, const std::string& wanted_name, const std::vector<int>& wanted_ranks,
               const Format& wanted_format, Op op) const {
    if (!plan) return false;
    const Setting& setting = plan->schedule->setting();
    return wanted_name == name && wanted.n == setting.n && wanted.order == setting.order &&
           wanted.commutes == setting.commutes && wanted_ranks == ranks && wanted_format == format &&
           op == plan->indexed.op;
  }
};

// For image frames with images in the memory of GPUs.
struct DevicePlans {
  std::shared_ptr<Gpu> gpu;                  // after the first such image of the node
  std::shared_ptr<DeviceExchange> exchange;  // for the plan of the images, after the first frame
  // Why the images of the node are composited in memory of the host; empty: they are not, unless an image has
  // a reason of its own.
  std::string staged;
  std::deque<std::uint64_t> confirmed;  // hashes of offers that all ranks of the node could open
  ReusedMemory host;                    // for a copy of the image there

  // Of the current frame:
  bool given = false;                     // whether the image was in the memory of a GPU
  void* stream = nullptr;                 // of the image
  bool on_one_gpu = false;                // whether all images of all ranks are in the memory of the same one
  std::string cause;                      // why the image was composited on the host; empty: it was not
  std::string copied;                     // why it was copied on the GPU; empty: it was not
  PixelBuffer copy;                       // that copy
  std::optional<ExportedImage> exported;  // what others read

  void begin_frame() {
    given = on_one_gpu = false;
    cause.clear();
    copied.clear();
    copy = PixelBuffer();
    exported.reset();
  }
};

// For frames of contents of varying size.
struct LayerPlans {
  // The last tags up to the limit are reserved for the heads of strings (mpi/messages.hpp).
  static constexpr std::int32_t head_tags = 4096;

  std::shared_ptr<const Schedule> schedule;
  std::string name;
  bool in_place = false;                     // no rank sends any message
  std::shared_ptr<StringExchange> exchange;  // for the schedule, after the first frame
  std::int32_t calls = 0;                    // modulo head_tags
};

// The ranks that take part in a frame, if frames do not wait for late ranks.
struct Attendees {
  std::unique_ptr<Rendezvous> rendezvous;  // of all calls
  Attendance attendance;                   // of the last frame that left late ranks out
  std::vector<std::int32_t> left_out;
  double deadline = 0;  // of this rank's call [s]
};

}  // namespace sortlast
