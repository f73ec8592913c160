// Schedule: which rank sends which pixels to whom, and how they are merged, as one value.
//
// Notation, as in the papers: p participants (ranks), n pixels, stages s = 1, 2, ... A fragment is a range of
// pixels that holds the composite of the images at a range of depth positions. Rank r starts with its own
// image: ([0, n), [d, d+1)), where d is its depth position. A schedule is complete when the remaining
// fragments partition [0, n), each with the depth range [0, p).
//
// A schedule is a plain value whose programs are made per rank and on demand: program(rank) costs O(its own
// steps). Nothing here depends on pixel formats, blending arithmetic or MPI.
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

SORTLAST_API Range intersection(Range a, Range b);  // an empty range, {0, 0}, if a and b are disjoint

// Piece j of g equal pieces of [0, n): [floor(j n / g), floor((j+1) n / g)). These nest: piece j of g is
// exactly pieces j k to (j+1) k - 1 of g k.
SORTLAST_API Range piece_of(std::int64_t n, std::int64_t g, std::int64_t j);

// Pixels that hold the composite of the images at `depth`. For operators that commute, depth positions are
// counted modulo p, so that depth.end may exceed p.
struct Fragment {
  Range pixels;
  Range depth;

  bool operator==(const Fragment&) const = default;
};

// A program works on values: value 0 is the rank's own image, every receive defines a value, and merges fill
// the others. Values are indices into Program::values.
using Value = std::int32_t;

// Send the part `pixels`, which is never empty, of a value to a peer. It depends only on the origin of that
// part: on nothing (value 0), on a receive, or on the merges that write into `pixels`.
struct Send {
  std::int32_t stage = 0;  // 1, 2, ...
  std::int32_t peer = 0;   // rank
  Value value = 0;
  Range pixels;
};

// Receive a whole value.
struct Receive {
  std::int32_t stage = 0;
  std::int32_t peer = 0;
  Value value = 0;
};

// Join the part `pixels` of several values into `value`: start with inputs[0], then join the others in this
// order, each from its side. The list has the expected order of arrival, so that blending can begin with the
// first two and continue as the others arrive. Because the list is fixed, the association, and with it every
// bit, does not depend on the actual order of arrival. A list of one is a copy: it assembles parts of a
// fragment that arrived separately in one value. `pixels` is never empty, and the merges into one value write
// disjoint parts.
struct Merge {
  struct Input {
    Value value = 0;
    bool front = false;  // joins in front of the result so far, otherwise behind it
  };
  Value value = 0;
  Range pixels;
  std::vector<Input> inputs;  // one or more
};

// The work of one rank. `sends` and `receives` are sorted by stage, and both ends of a pair list the
// transfers between them in the same order; `merges` are in an executable order.
struct Program {
  std::int32_t rank = 0;
  std::vector<Fragment> values;  // what each value holds once it is complete
  std::vector<Send> sends;
  std::vector<Receive> receives;
  std::vector<Merge> merges;
  Value result = -1;  // the rank's finished pixels; -1: none
};

// The input of an algorithm. `order` lists the ranks from front to back and `ring` in the preferred
// communication order (the fabric's routing order); an empty list means rank order. `commutes` means that the
// operator does not depend on the order of its operands, so that depth positions may be taken from the ring.
// `nodes` gives the node of each rank, numbered from 0 without gaps; empty: every rank has its own node.
//
// `positions` lists, for each rank, the depth positions of its images, front to back over all ranks: any
// distinct integers; a rank may have none. Empty: one image per rank, as in `order`. With positions, a
// fragment may hold images at non-consecutive positions. It then has one layer per run of consecutive
// positions, and carries the positions along, so `commutes` must be set.
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
// not one per rank or not numbered from 0 without gaps, positions that are not one list per rank, that
// repeat, or that are combined with an `order` or an operator that does not commute.
SORTLAST_API void check_setting(const Setting& setting);

// The number of fragments that each node sends over the network: its runs of consecutive depth positions. 1
// is the best value. The setting must have passed check_setting().
SORTLAST_API std::vector<std::int32_t> depth_runs(const Setting& setting);

// One transfer in the list of all transfers; source and destination are ranks.
struct Transfer {
  std::int32_t stage = 0;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  Fragment fragment;
  std::int64_t layers = 1;  // runs of consecutive positions, if the setting has positions

  bool operator==(const Transfer&) const = default;
};

class Algorithm;  // generates the programs

class SORTLAST_API Schedule {
 public:
  // `name` is the algorithm's full name with its parameters ("radix-k:4,3"). The algorithm may keep a
  // reference to the setting. Use make_schedule() to make schedules.
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
  // Maximum number of stages that one rank has in progress at once; 0: no limit.
  std::int32_t window() const;
  // Whether ranks may start before all others have arrived: each sends only its own image, in one stage, and
  // merges images in order of arrival. All bits of the result are the same.
  bool incremental() const;

  // Every rank's transfers, by stage and then by source. Costs O(all steps).
  std::vector<Transfer> transfers() const;

  // Execute the schedule symbolically, for all ranks and without pixels. Checks that every send is what its
  // receiver expects, that every merge joins fragments of the same pixels with adjacent depth ranges, that
  // nothing is used before it exists, that stages wait only for earlier stages, and that the results
  // partition [0, n), each with the depth range [0, p), so that every image reaches the owner of every pixel
  // exactly once. Throws Error with the first violation. Costs O(all steps).
  void verify() const;
  // Verify one rank's program alone, without the other ends of its transfers. Costs O(its steps). Throws
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

// The name of an algorithm and its published cost in the symbols of the papers.
struct AlgorithmEntry {
  std::string name;      // "radix-k"
  std::string usage;     // "radix-k[:k1,k2,...]"
  std::string summary;   // one sentence
  std::string latency;   // latency term of the cost
  std::string transfer;  // transfer term
  std::string overlap;   // whether blending overlaps transfer: "yes", "no", "partially"
};

SORTLAST_API std::span<const AlgorithmEntry> algorithms();

// Make a schedule by name: "shift", "radix-k:4,3", ... or "auto": the fastest according to choose() on a
// default Machine, with dense pixels of 16 bytes. Throws ArgumentError: an unknown name (the message lists
// the valid names), parameters that do not fit p, or an invalid setting.
SORTLAST_API Schedule make_schedule(std::string_view name, Setting setting);

}  // namespace sortlast
