// Coverage agreement.
#include "sortlast/execute/mpi/coverage_agreement.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sortlast/execute/mpi/backoff.hpp"

namespace sortlast {
namespace {

// What one rank brings to the reduction, and what all have.
struct Ballot {
  std::array<std::uint64_t, 3> leasts;  // the hash, its complement, and another number
  Coverage sums;
};
constexpr int ballot_words = 3 + static_cast<int>(std::tuple_size_v<Coverage>);
static_assert(sizeof(Ballot) == ballot_words * sizeof(std::uint64_t) && std::is_trivially_copyable_v<Ballot>);

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

// What the reduction needs of MPI: made once, and given back by MPI when it ends.
struct BallotReduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;

  BallotReduction() {
    check_mpi(MPI_Type_contiguous(ballot_words, MPI_UINT64_T, &type), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    check_mpi(MPI_Op_create(join, 1, &op), "MPI_Op_create");
  }
};

}  // namespace

Compare compare_with_coverage(const Communicator& comm, const Alarm& alarm, std::string call,
                              std::uint64_t& least, Coverage& coverage) {
  return [&comm, &alarm, call = std::move(call), &least, &coverage](std::uint64_t own) {
    struct Reduction {
      Ballot mine;
      Ballot all;
    };
    const auto reduction = std::make_shared<Reduction>(Reduction{{{own, ~own, least}, coverage}, {}});
    static const BallotReduction with;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(&reduction->mine, &reduction->all, 1, with.type, with.op, comm.get(), &request),
              "MPI_Iallreduce");
    wait(request, alarm, [&call] { return "all ranks to call " + call + ", before stage 1"; }, reduction);
    least = reduction->all.leasts[2];
    coverage = reduction->all.sums;
    return reduction->all.leasts[0] == ~reduction->all.leasts[1];
  };
}

}  // namespace sortlast
