// One rank of a loop of frames in which ranks die. What it meets goes into files, which test_dead_ranks.py
// reads.
//
//   dead_rank FOLDER ALGORITHM NODE_RANKS LIMIT ROUNDS SHRINK DEVICE
//
// With DEVICE k > 1 the images of all ranks but every k-th are in the memory of a GPU.
// In each round it composites frames whose right pixels it knows until a call throws, and reports that. Then
// it waits until the test lets it go on: with SHRINK 1 with the ranks that live, to the next round. It ends
// without MPI_Finalize, which may wait for the dead.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/device_image.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"

namespace {

namespace fs = std::filesystem;
using sortlast::Compositor;
using sortlast::testing::DeviceImage;

constexpr sortlast::Size size{128, 96};
constexpr int steps = 8;        // frames after which the images repeat
constexpr double longest = 60;  // wait to be let go [s]

// The clock of Python's time.monotonic().
double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

fs::path folder;
int world_rank = 0;
std::string crash_file;

// Write a file that is there whole or not at all.
void write(const std::string& name, const std::string& text) {
  const fs::path part = folder / (name + ".part");
  std::ofstream(part) << text;
  fs::rename(part, folder / name);
}

std::string file_of(int round, const char* what) {
  return std::to_string(round) + "." + std::to_string(world_rank) + "." + what;
}

void tell_crash(int signal) {
  if (std::FILE* file = std::fopen(crash_file.c_str(), "w")) {
    std::fprintf(file, "signal %d\n", signal);
    std::fclose(file);
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// The type and text of what a call throws.
template <typename Action>
std::string error_of(const Action& action) {
  const auto line = [](const char* type, const std::exception& error) {
    return std::string(type) + " " + error.what();
  };
  try {
    action();
  } catch (const sortlast::TimeoutError& error) {
    return line("TimeoutError", error);
  } catch (const sortlast::RemoteError& error) {
    return line("RemoteError", error);
  } catch (const sortlast::MpiError& error) {
    return line("MpiError", error);
  } catch (const sortlast::UsageError& error) {
    return line("UsageError", error);
  } catch (const sortlast::Error& error) {
    return line("Error", error);
  } catch (const std::exception& error) {
    return line("exception", error);
  }
  return "nothing";
}

// Frames that are the ranks' images added: multiples of 2^-12, so the sums are exact.
class Frames {
 public:
  Frames(Compositor compositor, bool on_device) : compositor_(std::move(compositor)) {
    count_ranks();
    if (on_device) make_device_image();
  }

  // On a new stream: the old one may wait for the dead for ever.
  void go_on_without_the_dead() {
    compositor_ = compositor_.shrink();
    if (device_ != nullptr) make_device_image();
    count_ranks();
    step_ = 0;  // some may have done a frame more
  }

  Compositor& compositor() { return compositor_; }
  int wrong() const { return wrong_; }
  int done() const { return done_; }

  void one() {
    const auto step = static_cast<float>(step_ % steps + 1);
    const float mine = static_cast<float>(world_rank + 1) * step / 4096;
    std::fill(image_.begin(), image_.end(), mine);
    sortlast::ImageView view{{reinterpret_cast<const std::byte*>(image_.data()), nullptr}, size, {}};
    if (device_ != nullptr) {
      device_->draw(view.pixels);
      view = device_->view();
    }
    const sortlast::Tile tile = compositor_.composite(view, {.op = sortlast::Op::add});
    bool right = are_all(tile.pixels(), tile.range().size(), sum_ * step);
    if (step_ % 3 == 0) {
      const auto frame = compositor_.gather(tile);
      right = right && (!frame || are_all(frame->pixels, size.pixels(), sum_ * step));
    }
    wrong_ += right ? 0 : 1;
    ++step_;
    ++done_;
  }

 private:
  // Never destroyed: it would wait for its stream.
  void make_device_image() { device_ = new DeviceImage(0, {}, size); }

  void count_ranks() {
    sum_ = 0;
    for (const std::int32_t rank : compositor_.ranks()) sum_ += static_cast<float>(rank + 1) / 4096;
  }

  bool are_all(sortlast::PixelBuffer pixels, std::int64_t n, float value) const {
    if (pixels.kind() == sortlast::MemoryKind::device) {
      // The stream waits for the others' GPUs, and may never end if one has died; a call will say so.
      if (!device_->ends_within(std::chrono::seconds(1))) return true;
      pixels = device_->read(pixels, n);
    }
    const std::span values(reinterpret_cast<const float*>(pixels.view().colour),
                           static_cast<std::size_t>(4 * n));
    return std::all_of(values.begin(), values.end(), [&](float each) { return each == value; });
  }

  Compositor compositor_;
  DeviceImage* device_ = nullptr;
  std::vector<float> image_ = std::vector<float>(static_cast<std::size_t>(4 * size.pixels()));
  float sum_ = 0;
  int wrong_ = 0;
  int step_ = 0;
  int done_ = 0;
};

// Composite until a call throws, and report that: the next call fails at once, and so the end waits for
// nobody.
void run_round(Frames& frames, int round, bool last) {
  const std::string error = error_of([&] {
    while (true) frames.one();
  });
  const double at = now();
  const std::string again = error_of([&] { frames.one(); });
  if (last) frames.compositor().close();
  const double end = now() - at;
  write(file_of(round, "report"), "at " + std::to_string(at) + "\nerror " + error + "\nagain " + again +
                                      "\nend " + std::to_string(end) + "\nframes " +
                                      std::to_string(frames.done()) + "\nwrong " +
                                      std::to_string(frames.wrong()) + "\n");
}

void wait_for(const std::string& name) {
  for (const double begin = now(); !fs::exists(folder / name) && now() - begin < longest;)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Whether the rest has made a right frame; the report lists the ranks that are left.
bool shrink(Frames& frames, int round) {
  const std::string error = error_of([&] {
    frames.go_on_without_the_dead();
    frames.one();
  });
  std::string text = error;
  if (error == "nothing") {
    text = "ranks";
    for (const std::int32_t rank : frames.compositor().ranks()) text += " " + std::to_string(rank);
    if (frames.wrong() > 0) text = "wrong pixels";
  }
  write(file_of(round, "rest"), text + "\n");
  return error == "nothing";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // as docs/how-to/dead-ranks.md tells
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  folder = argv[1];
  crash_file = folder / (std::to_string(world_rank) + ".crash");
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, tell_crash);
  MPI_Barrier(MPI_COMM_WORLD);  // before the limit counts
  const int rounds = std::stoi(argv[5]);
  const bool shrinks = std::stoi(argv[6]) != 0;
  const int device = std::stoi(argv[7]);
  {
    Frames frames(
        Compositor(MPI_COMM_WORLD,
                   {.algorithm = argv[2], .timeout = std::stod(argv[4]), .node_ranks = std::stoi(argv[3])}),
        device > 1 && world_rank % device != device - 1);
    for (int round = 0; round < rounds; ++round) {
      write(file_of(round, "ready"), std::to_string(getpid()));
      run_round(frames, round, !shrinks);
      wait_for(std::to_string(round) + ".go");
      if (!shrinks || !shrink(frames, round)) break;
    }
    if (shrinks) wait_for("end");
  }
  _exit(0);
}
