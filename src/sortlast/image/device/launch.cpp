// Launches of device kernels.
#include "sortlast/image/device/launch.hpp"

#include <algorithm>
#include <cstring>

#include "sortlast/error.hpp"

namespace sortlast {

std::string_view device_kernels_text() {
  static constexpr char text[] =
#include "sortlast/image/device/kernels.ptx.inc"
      ;
  return {text, sizeof text - 1};
}

namespace {

using device_kernels::BlendArguments;

// The planes that a launch reads and writes: colours, or depths as scalars of their own.
struct Planes {
  std::vector<const void*> links;
  std::vector<Scalar> scalars;  // of the links
  void* out;
  Scalar out_scalar;
  std::int64_t channels;
  std::int64_t unit;  // scalars that must stay together
};

std::uint64_t address(const void* plane) { return reinterpret_cast<std::uintptr_t>(plane); }

void check_plane(const void* plane, std::size_t alignment, const std::string& what) {
  if (plane == nullptr) throw ArgumentError("device_blend: " + what + " is a null pointer");
  if (address(plane) % alignment != 0)
    throw ArgumentError("device_blend: the address of " + what + " is no multiple of " +
                        std::to_string(alignment) + " bytes, the size of its scalars");
}

void check(Op op, const Format& format, std::span<const DeviceLink> chain, Pixels out, std::int64_t n) {
  check_format(format, op);
  if (n < 0) throw ArgumentError("device_blend: n is " + std::to_string(n) + "; expected 0 or more pixels");
  if (chain.size() > device_kernels::max_links)
    throw ArgumentError("device_blend: the chain has " + std::to_string(chain.size()) +
                        " links; expected at most " + std::to_string(device_kernels::max_links));
  if (n == 0) return;
  const auto check_planes = [&](ConstPixels pixels, Scalar scalar, const std::string& whose) {
    check_plane(pixels.colour, scalar_bytes(scalar), "the colour of " + whose);
    if (format.depth) check_plane(pixels.depth, sizeof(float), "the depth of " + whose);
  };
  check_planes(out, format.scalar, "the output");
  for (std::size_t i = 0; i < chain.size(); ++i) {
    check_planes(chain[i].pixels, chain[i].scalar, "link " + std::to_string(i));
    if (op == Op::closest && chain[i].scalar != format.scalar)
      throw ArgumentError("device_blend: link " + std::to_string(i) + " is " +
                          std::string(scalar_name(chain[i].scalar)) + "; expected " +
                          std::string(scalar_name(format.scalar)) + " as the output of closest");
  }
}

std::uint32_t blocks_of(std::int64_t threads) {
  const std::int64_t blocks = (threads + DeviceLaunch::threads - 1) / DeviceLaunch::threads;
  if (blocks > std::numeric_limits<std::int32_t>::max())
    throw ArgumentError("device_blend: " + std::to_string(threads) +
                        " groups of pixels; expected less than 2^39");
  return static_cast<std::uint32_t>(blocks);
}

// The arguments of all kernels. `unit`: positions per pixel.
DeviceLaunch common(std::span<const DeviceLink> chain, const Planes& planes, std::int64_t unit,
                    std::int64_t n) {
  DeviceLaunch launch{};
  BlendArguments& a = launch.arguments;
  a.plane = planes.out;
  a.size = n * unit;
  a.count = static_cast<std::int32_t>(chain.size());
  a.channels = static_cast<std::int32_t>(planes.channels);
  a.scalar = static_cast<std::int32_t>(planes.out_scalar);
  a.all_cover = 1;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::int64_t begin = std::clamp<std::int64_t>(chain[i].begin, 0, n);
    const std::int64_t end = std::clamp<std::int64_t>(chain[i].end, begin, n);
    if (end - begin < n) a.all_cover = 0;
    a.links[i] = {planes.links[i],
                  chain[i].pixels.depth,
                  begin * unit,
                  end * unit,
                  static_cast<std::int32_t>(planes.scalars[i]),
                  chain[i].side == Side::front};
  }
  return launch;
}

// Scalars per thread: 16 bytes of the widest type.
std::int64_t group_of(const Planes& planes) {
  std::size_t widest = scalar_bytes(planes.out_scalar);
  for (const Scalar scalar : planes.scalars) widest = std::max(widest, scalar_bytes(scalar));
  return static_cast<std::int64_t>(16 / widest);
}

// The scalars by which groups begin before the first scalar, so that they are aligned in every plane; none if
// the planes differ in their alignment.
std::optional<std::int64_t> aligned_lead(const Planes& planes, std::int64_t group) {
  const auto lead_in = [&](const void* plane, Scalar scalar) {
    const std::size_t bytes = scalar_bytes(scalar);
    return static_cast<std::int64_t>(address(plane) / bytes) % group;
  };
  const std::int64_t lead = lead_in(planes.out, planes.out_scalar);
  if (lead % planes.unit != 0) return std::nullopt;
  for (std::size_t i = 0; i < planes.links.size(); ++i)
    if (lead_in(planes.links[i], planes.scalars[i]) != lead) return std::nullopt;
  return lead;
}

DeviceLaunch scalars_launch(const std::string& name, std::span<const DeviceLink> chain, const Planes& planes,
                            std::int64_t n) {
  DeviceLaunch launch = common(chain, planes, planes.channels, n);
  std::int64_t group = group_of(planes);
  const std::optional<std::int64_t> lead = aligned_lead(planes, group);
  launch.kernel = name + "_" + std::to_string(lead ? group : 0);
  if (!lead) group = planes.unit;
  launch.arguments.lead = lead.value_or(0);
  launch.blocks = blocks_of((launch.arguments.size + launch.arguments.lead + group - 1) / group);
  return launch;
}

// The value of pixels that no image covers: neutral if a background is put behind them. See fill_absent().
float absent_value(Op op, bool background) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (!background || op == Op::over) return 0.0f;
  return op == Op::add ? -0.0f : op == Op::max ? -infinity : infinity;
}

DeviceLaunch closest_launch(std::span<const DeviceLink> chain, const Planes& planes, const Format& format,
                            Pixels out, std::int64_t n, const DeviceBackground* background) {
  DeviceLaunch launch = common(chain, planes, 1, n);
  BlendArguments& a = launch.arguments;
  a.depth = out.depth;
  const std::size_t bytes = format.colour_bytes();
  const auto aligned = [&](const void* plane) { return address(plane) % bytes == 0; };
  const bool words = (bytes == 4 || bytes == 8 || bytes == 16) && aligned(planes.out) &&
                     std::all_of(planes.links.begin(), planes.links.end(), aligned);
  launch.kernel = "closest_" + std::to_string(words ? bytes / 4 : 0);
  launch.blocks = blocks_of(n);
  if (background != nullptr) {
    const Link link{{reinterpret_cast<const std::byte*>(background->colour.data()), nullptr}};
    blend(Op::add, format.channels, false, {&link, 1},
          {reinterpret_cast<std::byte*>(a.background_words), nullptr}, format.scalar, 1);
    a.background_depth = background->depth;
  }
  return launch;
}

}  // namespace

std::vector<DeviceLaunch> device_blend(Op op, int channels, bool depth, std::span<const DeviceLink> chain,
                                       Pixels out, Scalar out_scalar, std::int64_t n,
                                       const DeviceBackground* background) {
  const Format format{out_scalar, channels, depth};
  check(op, format, chain, out, n);
  if (n == 0) return {};

  Planes colours{{}, {}, out.colour, out_scalar, channels, op == Op::over ? 4 : 1};
  Planes depths{{}, {}, out.depth, Scalar::float32, 1, 1};
  for (const DeviceLink& link : chain) {
    colours.links.push_back(link.pixels.colour);
    colours.scalars.push_back(link.scalar);
    depths.links.push_back(link.pixels.depth);
    depths.scalars.push_back(Scalar::float32);
  }

  std::vector<DeviceLaunch> launches;
  if (op == Op::closest)
    launches.push_back(closest_launch(chain, colours, format, out, n, background));
  else
    launches.push_back(scalars_launch(op == Op::over ? "over" : "each", chain, colours, n));
  BlendArguments& a = launches.back().arguments;
  a.op = static_cast<std::int32_t>(op);
  a.absent = absent_value(op, background != nullptr);
  a.has_background = background != nullptr;
  if (background != nullptr) std::copy(background->colour.begin(), background->colour.end(), a.background);

  if (depth && op != Op::closest) {
    launches.push_back(scalars_launch("depth", chain, depths, n));
    launches.back().arguments.absent = std::numeric_limits<float>::infinity();
  }
  for (DeviceLaunch& launch : launches) launch.kernel.insert(0, "sortlast_");
  return launches;
}

}  // namespace sortlast
