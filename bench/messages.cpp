// Cost of many messages at the same time: rank 1 sends the given number of small chunks, and rank 0 has
// posted a receive for each. The time per message should not grow with their number.
//
// mpiexec -n 2 bench_messages 1000 10000 100000 1000000
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "sortlast/content/pixels/encoding.hpp"
#include "sortlast/execute/mpi/messages.hpp"

namespace {

using namespace sortlast;

constexpr std::int64_t pixels = 4;  // per chunk
constexpr Format format{};

// Seconds from the first post to the last completion, and to the last post.
struct Seconds {
  double posted = 0;
  double all = 0;
};

Seconds measure(const Communicator& comm, std::int64_t count) {
  const bool sends = comm.rank() == 1;
  std::vector<float> colour(static_cast<std::size_t>(count * pixels) * 4);
  if (sends)
    for (std::size_t i = 0; i < colour.size(); ++i) colour[i] = static_cast<float>(i % 65'521);
  const Pixels all{reinterpret_cast<std::byte*>(colour.data()), nullptr};

  MPI_Barrier(comm.get());
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  Seconds seconds;
  Messages messages(comm);
  for (std::int64_t i = 0; i < count; ++i) {
    const Pixels chunk = advance(all, format, i * pixels);
    const Chunk number{static_cast<std::size_t>(i), 0};
    if (sends) {
      messages.send(number, 0, 0, EncodedPixels{Coding::dense, format, pixels, chunk}.message());
    } else {
      messages.receive(number, 1, 0, PixelRoom{format, pixels, chunk}.planes());
    }
  }
  seconds.posted = elapsed();
  while (!messages.idle()) messages.test();
  seconds.all = elapsed();

  for (std::size_t i = 0; i < colour.size(); ++i) {
    if (colour[i] == static_cast<float>(i % 65'521)) continue;
    std::fprintf(stderr, "scalar %zu of %lld messages is wrong\n", i, static_cast<long long>(count));
    MPI_Abort(comm.get(), 1);
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    std::fprintf(stderr, "started on %d ranks; expected 2\n", size);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const Communicator comm(copy);
    for (int i = 1; i < argc; ++i) {
      const std::int64_t count = std::atoll(argv[i]);
      const Seconds seconds = measure(comm, count);
      if (comm.rank() == 0)
        std::printf("%8lld messages: posted in %7.3f s, all through in %7.3f s, %6.2f us each\n",
                    static_cast<long long>(count), seconds.posted, seconds.all,
                    1e6 * seconds.all / static_cast<double>(count));
    }
  }
  MPI_Finalize();
}
