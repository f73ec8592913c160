// Fragment lists: each pixel's fragments by depth, ties in the order in which they are listed; read from a
// string, or from the memory of the rank that they belong to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/execute/layers/fragments/fragment_string.hpp"
#include "sortlast/execute/run/peer_spans.hpp"

namespace sortlast {

// Memory for lists, taken as Bytes take it.
struct ListRoom {
  explicit ListRoom(const Bytes::Take& take = {}) : colour(take), depth(take), extras(take) {}

  std::vector<CountRun> runs;
  Bytes colour;
  Bytes depth;
  Bytes extras;
};

// Whether each list is in order. Says no if a depth is NaN.
bool in_order(const FragmentLists& lists);

// The places of the `count` fragments from `first` on, in order; written to `order`.
void sort_pixel(const FragmentLists& lists, std::size_t first, std::size_t count,
                std::vector<std::size_t>& order);

// Lists of one rank in order: where they lie, if they are, else in the room. The room may hold their runs.
FragmentLists put_in_order(const FragmentLists& lists, ListRoom& room);

// ---- Lists, some pixels at a time ------------------------------------------------------------------

// A rank publishes its fragments as two spans: their colours and their depths. How many it has published; 0
// where none can be read.
std::size_t published_fragments(const PeerSpans& peers, std::uint32_t rank);

// Lists that refer to fragments of another rank are read from its memory.
class FragmentFeed {
 public:
  // `peers`, which lists that refer to fragments need, and the memory of the lists must stay. `take`: as of
  // Bytes.
  FragmentFeed(const FragmentLists& lists, const PeerSpans* peers, const Bytes::Take& take)
      : lists_(lists), runs_(lists.runs), peers_(peers), room_(take) {}

  std::size_t size() const { return lists_.size; }  // fragments

  void skip(std::size_t pixels) { passed_ += runs_.pass_all(pixels); }
  // The lists of the next pixels, in order if all are: until the next call.
  FragmentLists next(std::size_t pixels);

 private:
  void read_published(FragmentLists& some);

  FragmentLists lists_;
  RunReader runs_;
  const PeerSpans* peers_;
  std::size_t passed_ = 0;  // fragments
  ListRoom room_;
};

}  // namespace sortlast
