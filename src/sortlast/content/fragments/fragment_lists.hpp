// Fragment lists: each pixel's fragments sorted by depth, ties in the order in which they are listed; read
// from a string, or from the memory of the rank that owns them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/content/fragments/fragment_string.hpp"
#include "sortlast/content/pixels/peer_spans.hpp"

namespace sortlast {

// Memory for lists, allocated by the allocator of Bytes.
struct ListRoom {
  explicit ListRoom(const Bytes::Take& take = {}) : colour(take), depth(take), extras(take) {}

  std::vector<CountRun> runs;
  Bytes colour;
  Bytes depth;
  Bytes extras;
};

// Whether each list is in order. Returns false if a depth is NaN.
bool in_order(const FragmentLists& lists);

// The indices of the `count` fragments from `first` on, in order; written to `order`.
void sort_pixel(const FragmentLists& lists, std::size_t first, std::size_t count,
                std::vector<std::size_t>& order);

// Lists of one rank, in order: in place if they are sorted already, otherwise in `room`, which may hold their
// runs.
FragmentLists put_in_order(const FragmentLists& lists, ListRoom& room);

// ---- Lists, a few pixels at a time -----------------------------------------------------------------

// Number of fragments that a rank has published, as two spans: their colours and their depths. 0 if none can
// be read.
std::size_t published_fragments(const PeerSpans& peers, std::uint32_t rank);

// Reads lists a few pixels at a time; lists that refer to fragments of another rank are read from its memory.
class FragmentFeed {
 public:
  // `peers`, required by lists that refer to fragments, and the memory of the lists must stay valid. `take`:
  // as in Bytes.
  FragmentFeed(const FragmentLists& lists, const PeerSpans* peers, const Bytes::Take& take)
      : lists_(lists), runs_(lists.runs), peers_(peers), room_(take) {}

  std::size_t size() const { return lists_.size; }  // number of fragments

  void skip(std::size_t pixels) { passed_ += runs_.pass_all(pixels); }
  // The lists of the next pixels, in order if all lists are. Valid until the next call.
  FragmentLists next(std::size_t pixels);

 private:
  void read_published(FragmentLists& some);

  FragmentLists lists_;
  RunReader runs_;
  const PeerSpans* peers_;
  std::size_t passed_ = 0;  // number of fragments
  ListRoom room_;
};

}  // namespace sortlast
