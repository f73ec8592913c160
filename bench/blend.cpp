// Memory bandwidth of blend() compared with memcpy: every kernel target, one thread, images far larger than
// the caches.
//
// usage: bench_blend [pixels]
//
// A row gives the bytes of the input images divided by the median time of one call, the same for a memcpy of
// those bytes, and their ratio. memcpy and the targets alternate, so that a busy machine slows all of them.
// Each result is compared with blend_reference() bit for bit before it is timed.
//
// The second table is for images in which an eighth of the pixels is active: one box per image, from a 4 x 2
// grid, or random pixels. It gives the median times of scanning and packing one image, and of blending the
// chain dense and from packed pixels, with the best target.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
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

  // An image of premultiplied colours, converted to the format.
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

// Returns whether the results were correct.
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

  // Time copies of as many bytes as the blend reads, alternating with every target.
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

enum class Pattern { boxes, random };

// Make seven eighths of the pixels of image k empty.
void keep_eighth(Image& image, const Format& format, std::int64_t n, Pattern pattern, int k) {
  constexpr std::int64_t width = 2048;
  const std::int64_t height = std::max<std::int64_t>(2, n / width);
  std::mt19937 random(static_cast<unsigned>(100 + k));
  for (std::int64_t i = 0; i < n; ++i) {
    const bool in_box = i % width * 4 / width == k % 4 && i / width * 2 / height == k / 4 % 2;
    if (pattern == Pattern::boxes ? in_box : random() % 8 == 0) continue;
    const auto at = static_cast<std::size_t>(i);
    std::fill_n(image.colour.data() + at * format.colour_bytes(), format.colour_bytes(), std::byte{0});
    if (format.depth) image.depth[at] = std::numeric_limits<float>::infinity();
  }
}

// An image's active pixels, packed.
struct PackedImage {
  struct Free {
    void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t{64}); }
  };
  std::vector<sortlast::ActiveRun> runs;
  std::unique_ptr<std::byte, Free> data;
  sortlast::Packed packed;
};

// Scan and pack an image, and add the seconds of both steps.
PackedImage packed_image(const Format& format, Image& image, std::int64_t n, std::vector<double>& scan,
                         std::vector<double>& pack) {
  PackedImage result;
  result.runs.reserve(static_cast<std::size_t>(n));
  scan.push_back(seconds_of([&] { sortlast::append_active(format, image.pixels(), 0, n, result.runs); }));
  const std::size_t bytes = sortlast::packed_bytes(format, format.scalar, result.runs);
  result.data.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})));
  std::memset(result.data.get(), 1, bytes);
  pack.push_back(seconds_of(
      [&] { sortlast::pack(format, image.pixels(), result.runs, 0, format.scalar, result.data.get()); }));
  result.packed = sortlast::unpack(format, result.data.get(), bytes, n);
  return result;
}

bool measure_sparse(const Task& task, Pattern pattern, std::int64_t n) {
  const Format& format = task.format;
  sortlast::use_target(sortlast::kernel_targets().front());
  std::vector<Image> images;
  std::vector<PackedImage> packed;
  std::vector<Link> dense;
  std::vector<Link> sparse;
  std::vector<double> scan_seconds;
  std::vector<double> pack_seconds;
  for (int k = 0; k < task.links; ++k) {
    images.push_back(random_image(format, n, static_cast<unsigned>(k + 1)));
    keep_eighth(images.back(), format, n, pattern, k);
    packed.push_back(packed_image(format, images.back(), n, scan_seconds, pack_seconds));
    dense.push_back({images.back().pixels(), format.scalar, sortlast::Side::back});
    const sortlast::Packed& stored = packed.back().packed;
    sparse.push_back({stored.pixels, format.scalar, sortlast::Side::back, true, stored.runs, 0});
  }

  Format out_format = format;
  out_format.scalar = task.out_scalar;
  Image out = random_image(out_format, n, 0);
  Image expected = out;
  const auto call = [&](const std::vector<Link>& chain) {
    sortlast::blend(task.op, format.channels, format.depth, chain, out.pixels(), task.out_scalar, n);
  };
  sortlast::blend_reference(task.op, format.channels, format.depth, dense, expected.pixels(), task.out_scalar,
                            n);
  call(sparse);
  const bool right = same_bits(out, expected);
  std::vector<double> dense_seconds;
  std::vector<double> sparse_seconds;
  for (int round = 0; round < 9; ++round) {
    dense_seconds.push_back(seconds_of([&] { call(dense); }));
    sparse_seconds.push_back(seconds_of([&] { call(sparse); }));
  }
  std::printf("%-8s %-20s %-8s %2d  %-10s %8.2f %8.2f %8.2f %8.2f %6.2f  %s\n",
              sortlast::op_name(task.op).data(), sortlast::format_name(format).c_str(),
              sortlast::scalar_name(task.out_scalar).data(), task.links,
              pattern == Pattern::boxes ? "boxes" : "random", 1e3 * median(scan_seconds),
              1e3 * median(pack_seconds), 1e3 * median(dense_seconds), 1e3 * median(sparse_seconds),
              median(dense_seconds) / median(sparse_seconds), right ? "" : "WRONG");
  return right;
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
  const Format rgba_bytes_depth{Scalar::uint8, 4, true};
  const Format halves{Scalar::float16, 4, false};
  const Task tasks[] = {
      {Op::over, rgba, Scalar::float32, 2},
      {Op::over, rgba, Scalar::float32, 4},
      {Op::over, rgba, Scalar::float32, 8},
      {Op::over, rgba, Scalar::float32, 16},
      {Op::over, depth, Scalar::float32, 2},
      {Op::closest, depth, Scalar::float32, 2},
      {Op::closest, depth, Scalar::float32, 8},
      {Op::closest, bytes_depth, Scalar::uint8, 2},
      {Op::closest, rgba_bytes_depth, Scalar::uint8, 2},
      {Op::over, bytes, Scalar::uint8, 2},
      {Op::over, bytes, Scalar::float32, 2},
      {Op::over, bytes, Scalar::uint8, 4},
      {Op::over, bytes, Scalar::uint8, 8},
      {Op::over, halves, Scalar::float16, 2},
      {Op::over, halves, Scalar::float16, 8},
      {Op::add, rgba, Scalar::float32, 2},
      {Op::max, rgba, Scalar::float32, 2},
      {Op::max, bytes, Scalar::uint8, 2},
  };
  std::printf("%lld pixels; GB/s of input bytes, one thread\n", static_cast<long long>(n));
  std::printf("%-8s %-20s %-8s %2s  %-10s %8s %8s %6s\n", "op", "format", "out", "k", "target", "blend",
              "memcpy", "ratio");
  bool right = true;
  for (const Task& task : tasks) right = measure(task, n) && right;

  std::printf("\nan eighth of the pixels active; ms\n");
  std::printf("%-8s %-20s %-8s %2s  %-10s %8s %8s %8s %8s %6s\n", "op", "format", "out", "k", "active",
              "scan", "pack", "dense", "sparse", "ratio");
  const Task sparse_tasks[] = {
      {Op::over, rgba, Scalar::float32, 2},         {Op::over, rgba, Scalar::float32, 8},
      {Op::closest, depth, Scalar::float32, 8},     {Op::over, bytes, Scalar::uint8, 8},
      {Op::closest, bytes_depth, Scalar::uint8, 8},
  };
  for (const Task& task : sparse_tasks)
    for (Pattern pattern : {Pattern::boxes, Pattern::random})
      right = measure_sparse(task, pattern, n) && right;
  if (!right) std::fprintf(stderr, "a kernel differs from blend_reference(): see WRONG above\n");
  return right ? 0 : 1;
}
