// Comparison.
//
// The least hash and the least complement of all ranks are those of one hash only if all brought that one.
#include "sortlast/execute/mpi/comparison.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace sortlast {
namespace {

// What one rank brings to the reduction, and what all have.
struct Ballot {
  std::array<std::uint64_t, 3> leasts;  // the hash, its complement, and another number
  Coverage sums;
};
static_assert(sizeof(Ballot) <= 64 && std::is_trivially_copyable_v<Ballot>, "what networks carry at once");

// An MPI_User_function.
void join(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* const from = static_cast<const Ballot*>(in);
  auto* const to = static_cast<Ballot*>(inout);
  for (int i = 0; i < *count; ++i) {
    for (std::size_t k = 0; k < from[i].leasts.size(); ++k)
      to[i].leasts[k] = std::min(to[i].leasts[k], from[i].leasts[k]);
    for (std::size_t k = 0; k < from[i].sums.size(); ++k) to[i].sums[k] += from[i].sums[k];
  }
}

// What the reduction of ballots needs of MPI: made once, and given back by MPI when it ends.
struct BallotReduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;

  BallotReduction() {
    check_mpi(MPI_Type_contiguous(sizeof(Ballot), MPI_BYTE, &type), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    check_mpi(MPI_Op_create(join, 1, &op), "MPI_Op_create");
  }
};

}  // namespace

struct Comparison::Reduction {
  bool sums = false;  // else the leasts alone, which MPI can reduce by itself
  Ballot mine = {};
  Ballot all = {};
};

Comparison::Comparison(const Communicator& comm, const Alarm& alarm, const std::string& call,
                       std::uint64_t hash, const Numbers& mine)
    : alarm_(alarm), call_(call), reduction_(std::make_shared<Reduction>()) {
  Reduction& it = *reduction_;
  it.sums = mine.coverage.has_value();
  it.mine = {{hash, ~hash, mine.least}, mine.coverage.value_or(Coverage{})};
  if (it.sums) {
    static const BallotReduction with;
    check_mpi(MPI_Iallreduce(&it.mine, &it.all, 1, with.type, with.op, comm.get(), &request_),
              "MPI_Iallreduce");
  } else {
    check_mpi(
        MPI_Iallreduce(it.mine.leasts.data(), it.all.leasts.data(), static_cast<int>(it.mine.leasts.size()),
                       MPI_UINT64_T, MPI_MIN, comm.get(), &request_),
        "MPI_Iallreduce");
  }
}

Comparison::~Comparison() {
  if (request_ == MPI_REQUEST_NULL) return;
  try {
    keep_for_ever(reduction_);
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to note it
  }
}

bool Comparison::through() {
  int done = 1;
  if (request_ != MPI_REQUEST_NULL) check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

void Comparison::wait() {
  Backoff backoff(alarm_, all_ranks_to_call(call_));
  while (!through()) backoff.pause();
}

bool Comparison::same() const { return reduction_->all.leasts[0] == ~reduction_->all.leasts[1]; }

Numbers Comparison::numbers() const {
  Numbers numbers{reduction_->all.leasts[2], {}};
  if (reduction_->sums) numbers.coverage = reduction_->all.sums;
  return numbers;
}

}  // namespace sortlast
