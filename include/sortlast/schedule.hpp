// Schedule: who sends which pixels to whom, and what is merged with what. One value, read by all.
//
// Notation, as in the papers: p participants (ranks), n pixels, stages s = 1, 2, ... A fragment is a
// range of pixels that already holds the composite of the images at a range of depth positions. Rank r
// starts with its own image: ([0, n), [d, d+1)), d being its depth position. A schedule is complete when
// the fragments left over partition [0, n), each with the depth range [0, p).
//
// A schedule is a plain value, made per rank and lazily: program(rank) costs O(its own steps). Nothing
// here knows pixels' formats, blending arithmetic or MPI.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/export.hpp"

namespace sortlast {

// Half-open range [begin, end) of pixels (row-major index) or of depth positions.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool empty() const { return end <= begin; }
  bool contains(Range inner) const { return begin <= inner.begin && inner.end <= end; }
  bool operator==(const Range&) const = default;
};

SORTLAST_API Range intersection(Range a, Range b);  // an empty range, {0, 0}, if they do not meet

// Piece j of g equal pieces of [0, n): [floor(j n / g), floor((j+1) n / g)). These nest: piece j of g is
// exactly pieces j k to (j+1) k - 1 of g k.
SORTLAST_API Range piece_of(std::int64_t n, std::int64_t g, std::int64_t j);

// Pixels that hold the composite of the images at `depth`. For operators that commute the depth
// positions are counted round a circle of p, so that depth.end may pass p.
struct Fragment {
  Range pixels;
  Range depth;

  bool operator==(const Fragment&) const = default;
};

// A program works on values: value 0 is the rank's own image, every receive defines one, and merges fill
// one. Values are indices into Program::values.
using Value = std::int32_t;

// Send the part `pixels` of a value to a peer. It depends on that part alone: on nothing (value 0), on a
// receive, or on the merges that write into `pixels`.
struct Send {
  std::int32_t stage = 0;  // 1, 2, ...
  std::int32_t peer = 0;   // rank
  Value value = 0;
  Range pixels;
};

// Receive a value whole.
struct Receive {
  std::int32_t stage = 0;
  std::int32_t peer = 0;
  Value value = 0;
};

// Join the part `pixels` of several values into `value`: start with inputs[0], then join each next one
// from the side it says, in this order. The list is in the order in which the inputs are expected, so
// that blending can begin with the first two and go on as the others arrive; and because it is a list,
// the association (and so the bits) never depends on the arrival. A list of one is a copy: it puts parts of
// a fragment that came separately into one value.
struct Merge {
  struct Input {
    Value value = 0;
    bool front = false;  // joins in front of what was gathered so far, else behind it
  };
  Value value = 0;
  Range pixels;
  std::vector<Input> inputs;  // one or more
};

// All that one rank does. `sends` and `receives` are in order of stage, and both ends of a pair list the
// transfers between them in the same order; `merges` are in an order in which they could be executed.
struct Program {
  std::int32_t rank = 0;
  std::vector<Fragment> values;  // what each value holds once it is complete
  std::vector<Send> sends;
  std::vector<Receive> receives;
  std::vector<Merge> merges;
  Value result = -1;  // the rank's finished pixels; -1: none
};

// What a schedule is made for. `order` lists the ranks from front to back, `ring` in the order in which
// they should talk (the fabric's routing order); empty lists mean rank order. `commutes`: the operator
// does not care for the order of its operands, so that depth positions may be taken from the ring.
// `nodes` gives the node of each rank, numbered from 0 without gaps; empty: every rank is a node of its own.
// `positions` gives, by rank, the places in depth of the images that it starts with, front to back over all
// ranks: any integers, each once; a rank may have none. Empty: one image a rank, as `order` says. With
// positions a fragment holds images that need not be neighbours, which take a layer for each run of
// neighbours, and carry their places with them: so `commutes` must be set.
struct Setting {
  std::int32_t p = 1;
  std::int64_t n = 0;
  std::vector<std::int32_t> order = {};
  std::vector<std::int32_t> ring = {};
  bool commutes = false;
  std::vector<std::int32_t> nodes = {};
  std::vector<std::vector<std::int64_t>> positions = {};
};

// Throws ArgumentError: p < 1, n < 0, an order or ring that is not a permutation of 0..p-1, nodes that are
// not one for each rank or not numbered from 0 without gaps, positions that are not a list for each rank,
// that occur twice, or that stand beside an `order` or an operator that does not commute.
SORTLAST_API void check_setting(const Setting& setting);

// How many fragments each node leaves for the network, by node: the runs of neighbouring depth positions
// that its ranks hold. All 1 is best. The setting must have passed check_setting().
SORTLAST_API std::vector<std::int32_t> depth_runs(const Setting& setting);

// One transfer as seen from above; source and destination are ranks.
struct Transfer {
  std::int32_t stage = 0;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  Fragment fragment;
  std::int64_t layers = 1;  // runs of neighbouring positions, if the setting has positions

  bool operator==(const Transfer&) const = default;
};

class Algorithm;  // what makes the programs

class SORTLAST_API Schedule {
 public:
  // `name` is the algorithm's full name with its parameters ("radix-k:4,3"). The algorithm may refer to the
  // setting. Made by make_schedule().
  Schedule(std::string name, std::shared_ptr<const Setting> setting,
           std::shared_ptr<const Algorithm> algorithm);

  const std::string& name() const { return name_; }
  std::int32_t p() const { return setting_->p; }
  std::int64_t n() const { return setting_->n; }
  const Setting& setting() const { return *setting_; }

  // Throws ArgumentError if `rank` is not in [0, p).
  Program program(std::int32_t rank) const;
  Range piece(std::int32_t rank) const;
  std::int32_t stages() const;
  // Most stages that one rank has under way at once; 0: no limit.
  std::int32_t window() const;
  // Whether ranks may begin with those that are there: each sends nothing but its own image, in one stage,
  // and merges what has come, in whatever order that is. The result is the same in all bits.
  bool incremental() const;

  // Every rank's transfers, by stage and then by source. Costs O(all steps).
  std::vector<Transfer> transfers() const;

  // Execute the schedule symbolically, all ranks, no pixels: every send is what its receiver expects,
  // every merge joins fragments of the same pixels whose depth ranges touch, nothing is used before it
  // is there, stages only wait for earlier ones, and the results partition [0, n) with the depth range
  // [0, p) each, so that every image reaches every pixel's owner once. Throws Error with the first thing that
  // does not hold. Costs O(all steps).
  void verify() const;
  // The same of one rank's program alone, without the other ends of its transfers; costs O(its steps). Throws
  // ArgumentError if `rank` is not in [0, p).
  void verify(std::int32_t rank) const;

  // {"algorithm", "p", "n", "stages", "order", "ring", "nodes", "positions", "programs": [...]}
  std::string to_json() const;

 private:
  void check_rank(std::int32_t rank) const;
  void check(const Program& program) const;

  std::string name_;
  std::shared_ptr<const Setting> setting_;
  std::shared_ptr<const Algorithm> algorithm_;
};

// An algorithm by name, and its published cost in the symbols of the papers.
struct AlgorithmEntry {
  std::string name;      // "radix-k"
  std::string usage;     // "radix-k[:k1,k2,...]"
  std::string summary;   // one sentence
  std::string latency;   // latency term of the cost
  std::string transfer;  // transfer term
  std::string overlap;   // whether blending overlaps transfer: "yes", "no", "partially"
};

SORTLAST_API std::span<const AlgorithmEntry> algorithms();

// Make a schedule by name: "shift", "radix-k:4,3", ... or "auto": the fastest by choose() on the machine that
// a default Machine describes, with dense pixels of 16 bytes. Throws ArgumentError: unknown name (the message
// lists the names), parameters that do not fit p, or a wrong setting.
SORTLAST_API Schedule make_schedule(std::string_view name, Setting setting);

}  // namespace sortlast
