// Fragment feed: the lists of neighbouring pixels, some pixels at a time, and those that lie in another
// rank's memory brought from there.
#pragma once

#include <cstddef>

#include "sortlast/execute/layers/fragments/fragment_memory.hpp"

namespace sortlast {

class FragmentFeed {
 public:
  // `memory`, which lists that refer to it need, and that of the lists must stay. `take`: as of Bytes.
  FragmentFeed(const FragmentLists& lists, const FragmentMemory* memory, const Bytes::Take& take)
      : lists_(lists), runs_(lists.runs), memory_(memory), room_(take) {}

  std::size_t size() const { return lists_.size; }  // fragments

  void skip(std::size_t pixels) { passed_ += runs_.pass_all(pixels); }
  // The lists of the next pixels, in order if all are: until the next call.
  FragmentLists next(std::size_t pixels);

 private:
  FragmentLists lists_;
  RunReader runs_;
  const FragmentMemory* memory_;
  std::size_t passed_ = 0;  // fragments
  ListRoom room_;
};

}  // namespace sortlast
