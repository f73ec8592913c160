// Coverage: where in the image all ranks together have drawn.
#include "sortlast/execute/plan/coverage.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sortlast/execute/mpi/backoff.hpp"

namespace sortlast {
namespace {

constexpr auto bands = static_cast<std::int64_t>(std::tuple_size_v<Coverage>);

// What one rank brings to the reduction, and what all have.
struct Ballot {
  std::array<std::uint64_t, 3> leasts;  // the hash, its complement, and another number
  Coverage sums;
};
constexpr int ballot_words = 3 + static_cast<int>(bands);
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

}  // namespace

Coverage coverage_of(const std::optional<Rectangle>& bounds, Size size, double active) {
  const Rectangle box = bounds.value_or(Rectangle{0, 0, size.width, size.height});
  Coverage footprint{};
  for (std::int64_t band = 0; band < bands; ++band) {
    const Range rows = intersection(piece_of(size.height, bands, band), {box.y0, box.y1});
    const auto pixels = static_cast<double>(rows.size() * (box.x1 - box.x0));
    footprint[static_cast<std::size_t>(band)] = static_cast<std::uint64_t>(pixels * active);
  }
  return footprint;
}

double unevenness_of(const Coverage& all, std::int32_t p) {
  const auto total = static_cast<double>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
  if (total == 0) return 1;

  // In units of 1 / (p bands) of the image both pieces and bands are whole.
  double most = 0;
  for (std::int64_t piece = 0; piece < p; ++piece) {
    double load = 0;
    const Range pixels{piece * bands, (piece + 1) * bands};
    for (std::int64_t band = pixels.begin / p; band * p < pixels.end; ++band) {
      const Range part = intersection(pixels, {band * p, (band + 1) * p});
      load += static_cast<double>(all[static_cast<std::size_t>(band)]) * static_cast<double>(part.size()) / p;
    }
    most = std::max(most, load);
  }
  return most * p / total;
}

Compare compare_with_coverage(const Communicator& comm, const Alarm& alarm, std::string call,
                                std::uint64_t& least, Coverage& coverage) {
  return [&comm, &alarm, call = std::move(call), &least, &coverage](std::uint64_t own) {
    struct Reduction {
      Ballot mine;
      Ballot all;
    };
    const auto reduction = std::make_shared<Reduction>(Reduction{{{own, ~own, least}, coverage}, {}});
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Op op = MPI_OP_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Type_contiguous(ballot_words, MPI_UINT64_T, &type), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type), "MPI_Type_commit");
    check_mpi(MPI_Op_create(join, 1, &op), "MPI_Op_create");
    check_mpi(MPI_Iallreduce(&reduction->mine, &reduction->all, 1, type, op, comm.get(), &request),
              "MPI_Iallreduce");
    wait(request, alarm, [&call] { return "all ranks to call " + call + ", before stage 1"; }, reduction);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    least = reduction->all.leasts[2];
    coverage = reduction->all.sums;
    return reduction->all.leasts[0] == ~reduction->all.leasts[1];
  };
}

}  // namespace sortlast
