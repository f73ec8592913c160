// Fragment feed: the lists of neighbouring pixels, some pixels at a time. Lists that refer to fragments of
// another rank are read from its memory.
#pragma once

#include <cstddef>

#include "sortlast/execute/layers/fragments/ordered_lists.hpp"
#include "sortlast/execute/run/peer_spans.hpp"

namespace sortlast {

// A rank publishes its fragments as two spans: their colours and their depths. How many it has published; 0
// where none can be read.
std::size_t published_fragments(const PeerSpans& peers, std::uint32_t rank);

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
