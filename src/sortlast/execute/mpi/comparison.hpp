// Comparison: whether all ranks brought the same to a call, found out by one small reduction, beside which
// they may do other things.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/plan/choice.hpp"

namespace sortlast {

// What all ranks find out in the same reduction: go in as a rank's own, come out as those of all.
struct Numbers {
  std::uint64_t least = 0;                // of all ranks the least
  std::optional<Coverage> coverage = {};  // the sum; by all ranks, whatever their call, or by none
};

class Comparison {
 public:
  // Collective. Begins to compare; `call` is named where a rank does not come to it.
  Comparison(const Communicator& comm, const Alarm& alarm, const std::string& call, std::uint64_t hash,
             const Numbers& mine = {});
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  // What is still under way stays so.
  ~Comparison();

  // Whether all ranks have come and compared.
  bool through();
  // Until they have. Throws TimeoutError if a rank does not come.
  void wait();

  // Once through: whether all ranks brought the same hash, and the numbers of all.
  bool same() const;
  Numbers numbers() const;

 private:
  struct Reduction;

  const Alarm& alarm_;
  std::string call_;
  std::shared_ptr<Reduction> reduction_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace sortlast
