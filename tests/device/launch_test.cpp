// Which kernel blends a chain, what is refused, and the text of the kernels.
#include "device/cases.hpp"

namespace sortlast {
namespace {

using testing::Case;
using testing::Kernels;
using testing::make_case;
using testing::message_of;
using testing::on_host;

// Alignment and scalars choose the kernel, so each kernel is tested above.
TEST_F(Kernels, AreChosenByTheWidestScalarAndTheAlignment) {
  const auto kernels = [&](Op op, const Format& format, Scalar out, std::int64_t first = 0,
                           std::size_t shift = 0) {
    Case c = make_case(op, format, images(format, 2, first + 20), random_);
    if (shift > 0) c.images[1] = testing::random_image(format, first + 20, random_, shift);
    c.out = out;
    c.first = first;
    c.n = 20;
    std::vector<std::string> names;
    on_host(c, &names);
    return names;
  };
  using Names = std::vector<std::string>;
  const auto f32 = Scalar::float32, f16 = Scalar::float16, u8 = Scalar::uint8;
  EXPECT_EQ(kernels(Op::over, {f32, 4, true}, f32), (Names{"sortlast_over_4", "sortlast_depth_4"}));
  EXPECT_EQ(kernels(Op::over, {f16, 4, false}, f16), Names{"sortlast_over_8"});
  EXPECT_EQ(kernels(Op::over, {u8, 4, false}, u8, 3), Names{"sortlast_over_16"});
  EXPECT_EQ(kernels(Op::over, {u8, 4, false}, f32), Names{"sortlast_over_4"});
  EXPECT_EQ(kernels(Op::max, {u8, 3, false}, u8, 3), Names{"sortlast_each_16"});
  EXPECT_EQ(kernels(Op::max, {u8, 3, false}, f32, 1), Names{"sortlast_each_4"});
  EXPECT_EQ(kernels(Op::max, {u8, 3, false}, u8, 0, 1), Names{"sortlast_each_0"});
  EXPECT_EQ(kernels(Op::over, {f32, 4, true}, f32, 0, 4), (Names{"sortlast_over_0", "sortlast_depth_0"}));
  EXPECT_EQ(kernels(Op::closest, {u8, 4, true}, u8, 1), Names{"sortlast_closest_1"});
  EXPECT_EQ(kernels(Op::closest, {f32, 3, true}, f32), Names{"sortlast_closest_0"});
}

TEST(Launches, RefuseWhatTheKernelsCannotDo) {
  std::vector<float> values(40);
  auto* const colour = reinterpret_cast<std::byte*>(values.data());
  const Pixels out{colour, values.data()};
  const auto blend = [&](Op op, std::span<const DeviceLink> chain, Pixels to, std::int64_t n = 2) {
    return message_of([&] { device_blend(op, 4, true, chain, to, Scalar::float32, n); });
  };
  const std::vector<DeviceLink> good(64, DeviceLink{out});
  EXPECT_EQ(blend(Op::over, good, out), "");
  EXPECT_EQ(blend(Op::over, std::vector(65, good.front()), out),
            "device_blend: the chain has 65 links; expected at most 64");
  EXPECT_EQ(blend(Op::over, good, out, -1), "device_blend: n is -1; expected 0 or more pixels");
  EXPECT_EQ(blend(Op::over, good, {colour, nullptr}),
            "device_blend: the depth of the output is a null pointer");
  EXPECT_EQ(
      blend(Op::over, std::vector{DeviceLink{{colour + 2, values.data()}}}, out),
      "device_blend: the address of the colour of link 0 is no multiple of 4 bytes, the size of its scalars");
  EXPECT_EQ(blend(Op::closest, std::vector{DeviceLink{out, Scalar::uint8}}, out),
            "device_blend: link 0 is uint8; expected float32 as the output of closest");
  EXPECT_THROW(device_blend(Op::over, 3, false, good, out, Scalar::float32, 1), ArgumentError);
  EXPECT_TRUE(device_blend(Op::over, 4, true, good, out, Scalar::float32, 0).empty());
}

// Contraction into fused multiply-adds would change bits.
TEST(Ptx, RoundsEveryProductAndSum) {
  const std::string_view text = device_kernels_text();
  EXPECT_EQ(text.find("fma."), std::string_view::npos);
  for (const std::string name : {"add", "sub", "mul"})
    for (const std::string bad : {".f32", ".ftz.f32", ".rn.ftz.f32"})
      EXPECT_EQ(text.find(std::string("\n").append(name).append(bad)), std::string_view::npos) << name << bad;
  EXPECT_NE(text.find("\nadd.rn.f32"), std::string_view::npos);
  EXPECT_EQ(text.find(".local"), std::string_view::npos);  // arrays in registers
  for (const testing::HostKernel& each : testing::rows::host_kernels)
    EXPECT_NE(text.find(".entry " + std::string(each.name) + "("), std::string_view::npos) << each.name;
}

}  // namespace
}  // namespace sortlast
