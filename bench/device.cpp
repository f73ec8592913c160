// Images in GPU memory: the time of a gathered frame, compared with a frame through the host and with the
// copies that every method needs.
//
//   mpiexec -n P bench_device [SECONDS]     seconds per row, 1 by default
//
// direct   composite() and gather() of images on the GPU; the root waits for its stream
// staged   today's way: copy to pinned memory, composite and gather there, copy the frame back
// copy     the image copied on the GPU
// floor    the time in which the GPU copies as many bytes as a frame reads and writes: p images and the frame
// Medians over frames, in milliseconds, of the root. Frames are compared before they are timed. Figures of
// the fake driver of the tests say nothing.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/device/memory.hpp"

using namespace sortlast;

namespace {

struct Ranks {
  int rank = 0;
  int size = 1;
  double seconds = 1;
};

// The median time of a call by all ranks, at the root [ms].
double median_of(const Ranks& ranks, const std::function<void()>& call) {
  std::vector<double> times;
  for (int i = 0; i < 3; ++i) call();
  const double end = MPI_Wtime() + ranks.seconds;
  for (int more = 1; more != 0;) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    call();
    times.push_back(1e3 * (MPI_Wtime() - begin));
    more = MPI_Wtime() < end ? 1 : 0;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

float value_of(const std::byte* colour, Scalar scalar, std::size_t i) {
  if (scalar == Scalar::uint8) return static_cast<float>(colour[i]);
  float value = 0;
  std::memcpy(&value, colour + 4 * i, sizeof value);
  return value;
}

class Row {
 public:
  Row(const Ranks& ranks, Size size, Scalar scalar)
      : ranks_(ranks),
        size_(size),
        format_{scalar, 4, false},
        bytes_(PixelBuffer::bytes(format_, size.pixels())),
        compositor_(MPI_COMM_WORLD),
        image_(compositor_.allocate_on_device(bytes_)),
        frame_(compositor_.allocate_on_device(bytes_)),
        host_(compositor_.allocate(bytes_)),
        host_frame_(compositor_.allocate(bytes_)),
        pinned_(device::pin(context_, host_.get(), bytes_)),
        pinned_frame_(device::pin(context_, host_frame_.get(), bytes_)) {
    draw();
    composition_.root = 0;
  }

  void run() {
    const PixelBuffer found = direct();
    staged();
    if (ranks_.rank == 0) compare(found);
    const double copied = median_of(ranks_, [&] { copy(); });
    const double on_gpu = median_of(ranks_, [&] { direct(); });
    const double on_host = median_of(ranks_, [&] { staged(); });
    if (ranks_.rank != 0) return;
    const double floor = copied * (ranks_.size + 1) / 2;
    std::printf(
        "%4lldx%-4lld %-8s p=%d  direct %.3f  staged %.3f (x%.1f)  copy %.3f (%.2f TB/s)  floor %.3f "
        "(%.2f)\n",
        static_cast<long long>(size_.width), static_cast<long long>(size_.height),
        std::string(scalar_name(format_.scalar)).c_str(), ranks_.size, on_gpu, on_host, on_host / on_gpu,
        copied, 2e-9 * static_cast<double>(bytes_) / copied, floor, floor / on_gpu);
    std::fflush(stdout);
  }

 private:
  ImageView view() const {
    return {PixelBuffer(image_, format_, size_.pixels()).view(),
            size_,
            format_,
            {},
            MemoryKind::device,
            stream_.handle()};
  }

  // Premultiplied colours, of this rank.
  void draw() {
    std::mt19937 random(static_cast<unsigned>(ranks_.rank));
    std::uniform_real_distribution<float> uniform(0, 1);
    for (std::int64_t pixel = 0; pixel < size_.pixels(); ++pixel) {
      const float alpha = uniform(random);
      for (int channel = 0; channel < 4; ++channel) {
        const float value = channel == 3 ? alpha : alpha * uniform(random);
        const std::size_t i = 4 * static_cast<std::size_t>(pixel) + static_cast<std::size_t>(channel);
        if (format_.scalar == Scalar::uint8)
          host_.get()[i] = static_cast<std::byte>(std::lround(255 * value));
        else
          std::memcpy(host_.get() + 4 * i, &value, sizeof value);
      }
    }
    device::copy(stream_, image_.get(), host_.get(), bytes_);
    stream_.synchronize();
  }

  PixelBuffer direct() {
    const Tile tile = compositor_.composite(view(), composition_);
    const auto frame = compositor_.gather(tile, 0);
    if (frame) stream_.synchronize();
    return frame ? frame->pixels : PixelBuffer();
  }

  void staged() {
    device::copy(stream_, host_.get(), image_.get(), bytes_);
    stream_.synchronize();
    const ImageView image{PixelBuffer(host_, format_, size_.pixels()).view(), size_, format_};
    const Tile tile = compositor_.composite(image, composition_);
    compositor_.gather(tile, 0, false, PixelBuffer(host_frame_, format_, size_.pixels()));
    if (ranks_.rank != 0) return;
    device::copy(stream_, frame_.get(), host_frame_.get(), bytes_);
    stream_.synchronize();
  }

  void copy() {
    if (ranks_.rank != 0) return;
    device::copy(stream_, frame_.get(), image_.get(), bytes_);
    stream_.synchronize();
  }

  void compare(const PixelBuffer& found) {
    std::vector<std::byte> pixels(bytes_);
    device::copy(stream_, pixels.data(), found.view().colour, bytes_);
    stream_.synchronize();
    const float allowed = format_.scalar == Scalar::uint8 ? static_cast<float>(ranks_.size) : 1e-5F;
    for (std::size_t i = 0; i < 4 * static_cast<std::size_t>(size_.pixels()); ++i) {
      const float a = value_of(pixels.data(), format_.scalar, i);
      const float b = value_of(host_frame_.get(), format_.scalar, i);
      if (std::abs(a - b) <= allowed) continue;
      std::fprintf(stderr, "scalar %zu is %g, and %g through the host\n", i, static_cast<double>(a),
                   static_cast<double>(b));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }

  Ranks ranks_;
  Size size_;
  Format format_;
  std::size_t bytes_;
  device::Context context_{0};
  device::Stream stream_{context_};
  Compositor compositor_;
  Composition composition_;
  Memory image_, frame_;                 // on the GPU
  Memory host_, host_frame_;             // shared memory,
  device::Owned pinned_, pinned_frame_;  // pinned
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ranks ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
  if (argc > 1) ranks.seconds = std::atof(argv[1]);
  for (const Size size : {Size{2048, 1024}, Size{3840, 2160}})
    for (const Scalar scalar : {Scalar::float32, Scalar::uint8}) Row(ranks, size, scalar).run();
  MPI_Finalize();
}
