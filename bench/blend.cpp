// Memory bandwidth of blend() beside that of memcpy: every kernel target, one thread, images far larger
// than the caches.
//
// usage: bench_blend [pixels]
//
// A row gives the bytes of the input images divided by the median time of one call, the same for a
// memcpy of those bytes, and their ratio. memcpy and the targets take turns, so that a busy machine slows
// them alike. Each result is compared with blend_reference() bit for bit before it is timed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sortlast/image/blend.hpp"

namespace {

using sortlast::Format;
using sortlast::Link;
using sortlast::Op;
using sortlast::Scalar;

struct Task {
  Op op;
  Format format;
  Scalar out_scalar;
  int links;
};

// Colour and depth of one image.
struct Image {
  std::vector<std::byte> colour;
  std::vector<float> depth;
  sortlast::Pixels pixels() { return {colour.data(), depth.empty() ? nullptr : depth.data()}; }
};

Image random_image(const Format& format, std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  const auto pixels = static_cast<std::size_t>(n);

  // One image of premultiplied colours, converted to the format.
  std::vector<float> values(pixels * static_cast<std::size_t>(format.channels));
  for (float& value : values) value = unit(random);
  Image image{std::vector<std::byte>(pixels * format.colour_bytes()), {}};
  const Link link{{reinterpret_cast<const std::byte*>(values.data()), nullptr}, Scalar::float32, {}};
  sortlast::blend(Op::add, format.channels, false, {&link, 1}, {image.colour.data(), nullptr}, format.scalar,
                  n);

  if (format.depth) {
    image.depth.resize(pixels);
    for (float& depth : image.depth) depth = unit(random);
  }
  return image;
}

template <class Call>
double seconds_of(Call call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool same_bits(const Image& a, const Image& b) {
  return a.colour == b.colour &&
         std::memcmp(a.depth.data(), b.depth.data(), a.depth.size() * sizeof(float)) == 0;
}

// Returns whether the answers were right.
bool measure(const Task& task, std::int64_t n) {
  std::vector<Image> images;
  for (int k = 0; k < task.links; ++k)
    images.push_back(random_image(task.format, n, static_cast<unsigned>(k + 1)));
  std::vector<Link> chain;
  for (Image& image : images) chain.push_back({image.pixels(), task.format.scalar, sortlast::Side::back});

  Format out_format = task.format;
  out_format.scalar = task.out_scalar;
  Image out = random_image(out_format, n, 0);
  Image expected = out;
  const int channels = task.format.channels;
  const bool depth = task.format.depth;
  sortlast::blend_reference(task.op, channels, depth, chain, expected.pixels(), task.out_scalar, n);

  // Check every target.
  const auto call = [&] {
    sortlast::blend(task.op, channels, depth, chain, out.pixels(), task.out_scalar, n);
  };
  const std::vector<std::string> targets = sortlast::kernel_targets();
  std::vector<bool> right;
  for (const std::string& target : targets) {
    sortlast::use_target(target);
    call();
    right.push_back(same_bits(out, expected));
  }

  // Time copies of as many bytes as the blend reads, and every target, in turns.
  std::vector<Image> copies = images;
  std::vector<double> copy_seconds;
  std::vector<std::vector<double>> seconds(targets.size());
  for (int round = 0; round < 9; ++round) {
    copy_seconds.push_back(seconds_of([&] {
      for (std::size_t k = 0; k < images.size(); ++k) {
        std::memcpy(copies[k].colour.data(), images[k].colour.data(), images[k].colour.size());
        std::memcpy(copies[k].depth.data(), images[k].depth.data(), images[k].depth.size() * sizeof(float));
      }
    }));
    for (std::size_t t = 0; t < targets.size(); ++t) {
      sortlast::use_target(targets[t]);
      seconds[t].push_back(seconds_of(call));
    }
  }

  const double gigabytes =
      1e-9 * static_cast<double>(n) * static_cast<double>(task.format.pixel_bytes()) * task.links;
  const double copy = median(copy_seconds);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const double blend = median(seconds[t]);
    std::printf("%-8s %-20s %-8s %2d  %-10s %8.2f %8.2f %6.2f  %s\n", sortlast::op_name(task.op).data(),
                sortlast::format_name(task.format).c_str(), sortlast::scalar_name(task.out_scalar).data(),
                task.links, targets[t].c_str(), gigabytes / blend, gigabytes / copy, copy / blend,
                right[t] ? "" : "WRONG");
  }
  return std::find(right.begin(), right.end(), false) == right.end();
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t n = count > 1 ? std::atoll(arguments[1]) : 4096 * 1024;
  if (count > 2 || n < 1) {
    std::fprintf(stderr, "usage: %s [pixels]\n", arguments[0]);
    return 2;
  }
  const Format rgba{Scalar::float32, 4, false};
  const Format depth{Scalar::float32, 4, true};
  const Format bytes{Scalar::uint8, 4, false};
  const Format bytes_depth{Scalar::uint8, 3, true};
  const Format halves{Scalar::float16, 4, false};
  const Task tasks[] = {
      {Op::over, rgba, Scalar::float32, 2},     {Op::over, rgba, Scalar::float32, 8},
      {Op::over, depth, Scalar::float32, 2},    {Op::closest, depth, Scalar::float32, 2},
      {Op::closest, depth, Scalar::float32, 8}, {Op::closest, bytes_depth, Scalar::uint8, 2},
      {Op::over, bytes, Scalar::float32, 2},    {Op::over, bytes, Scalar::uint8, 8},
      {Op::over, halves, Scalar::float16, 2},   {Op::over, halves, Scalar::float16, 8},
      {Op::add, rgba, Scalar::float32, 2},      {Op::max, rgba, Scalar::float32, 2},
      {Op::max, bytes, Scalar::uint8, 2},
  };
  std::printf("%lld pixels; GB/s of input bytes, one thread\n", static_cast<long long>(n));
  std::printf("%-8s %-20s %-8s %2s  %-10s %8s %8s %6s\n", "op", "format", "out", "k", "target", "blend",
              "memcpy", "ratio");
  bool right = true;
  for (const Task& task : tasks) right = measure(task, n) && right;
  if (!right) std::fprintf(stderr, "a kernel differs from blend_reference(): see WRONG above\n");
  return right ? 0 : 1;
}
