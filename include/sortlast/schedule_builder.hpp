// ScheduleBuilder: an algorithm of your own, written as the sends and merges of all ranks.
//
//   register_algorithm("star", "All ranks send their images to the frontmost rank.", [](ScheduleBuilder& b) {
//     const std::int32_t front = b.order().front();
//     std::vector<Part> images;
//     for (const std::int32_t rank : b.order())
//       images.push_back(rank == front ? b.image(rank) : b.send(b.image(rank), front));
//     b.finish(b.merge(images));
//   });
//
// From then on "star" is a name like "shift": for make_schedule(), compositors, prices and simulations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Pixels on a rank that hold the composite of the images at the positions `depth` of
// ScheduleBuilder::order(). `stage` is the last stage that they depend on; 0: none.
struct Part {
  std::int32_t rank = 0;
  Value value = 0;  // in the program of that rank; -1: the part has no pixels
  Range pixels;
  Range depth;
  std::int32_t stage = 0;

  bool operator==(const Part&) const = default;
};

// Collects the programs of all ranks. The calls of a rank must be in an order in which it can execute them;
// parts without pixels are valid everywhere and move nothing. All functions throw ArgumentError if a rank is
// not in [0, p) or a part is not one that this builder returned.
class SORTLAST_API ScheduleBuilder {
 public:
  // `parameters` is the text after the colon of the algorithm's name. The setting must outlive the builder.
  ScheduleBuilder(const Setting& setting, std::string parameters);

  std::int32_t p() const { return setting_.p; }
  std::int64_t n() const { return setting_.n; }
  const std::string& parameters() const { return parameters_; }
  // The ranks from front to back. If the operator commutes, this is the ring: the preferred order for
  // communication. Depth positions are places in this list.
  const std::vector<std::int32_t>& order() const { return order_; }
  // The ranks in the preferred order for communication.
  const std::vector<std::int32_t>& ring() const { return ring_; }
  // Whether depth positions are counted modulo p, because the operator does not depend on the order.
  bool commutes() const { return setting_.commutes; }

  // A rank's own image: all pixels.
  Part image(std::int32_t rank) const;
  // The pixels of a part that are in `pixels` too.
  Part cut(const Part& part, Range pixels) const;
  // Send a part to another rank, in the given stage or, with 0, in the first one in which it can be sent.
  // Returns the part on the other rank. Also throws ArgumentError if the rank has the part already or if the
  // part is not ready before that stage.
  Part send(const Part& part, std::int32_t to, std::int32_t stage = 0);
  // Composite parts of the same pixels on one rank, listed in the order in which they are expected to
  // arrive. Also throws ArgumentError if their depth ranges do not tile one range.
  Part merge(const std::vector<Part>& parts);
  // Make a part its rank's result. Also throws ArgumentError if the rank has a result already.
  void finish(const Part& part);

  // The programs of all ranks, which Schedule::verify() checks.
  std::vector<Program> programs() &&;

 private:
  Program& of(std::int32_t rank);
  void check(std::int32_t rank) const;
  void check(const Part& part) const;
  Range tiled(std::vector<Part> parts) const;

  const Setting& setting_;
  std::string parameters_;
  std::vector<std::int32_t> ring_;
  std::vector<std::int32_t> order_;
  std::vector<std::int32_t> place_;  // rank -> place in order_
  std::vector<Program> programs_;
};

// Add an algorithm under a name of letters, digits, "-" and "_", or replace one that was added before. It has
// to be added in every rank that uses it. make_schedule() calls `build`, perhaps from several threads at
// once, for any p >= 1 and n >= 0, and verifies the result, which costs O(all steps); exceptions pass
// through. Throws ArgumentError: an invalid name, or the name of one of algorithms().
SORTLAST_API void register_algorithm(std::string_view name, std::string_view summary,
                                     std::function<void(ScheduleBuilder&)> build);

}  // namespace sortlast
