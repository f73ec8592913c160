// Names, checks, and the choice of kernels.
#include <gtest/gtest.h>

#include "image/images.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST(Format, NamesAndSizes) {
  EXPECT_EQ(format_name({Scalar::float32, 4, false}), "RGBA float32");
  EXPECT_EQ(format_name({Scalar::uint8, 3, true}), "RGB uint8 + depth");
  EXPECT_EQ((Format{Scalar::float16, 3, true}.pixel_bytes()), 10u);
  const std::size_t bytes[] = {4, 2, 1};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(scalar_bytes(testing::all_scalars[i]), bytes[i]);
}

TEST(Format, NamesComeBack) {
  for (Op op : testing::all_ops) EXPECT_EQ(op_from_name(op_name(op)), op);
  for (Scalar scalar : {Scalar::float32, Scalar::float16, Scalar::uint8})
    EXPECT_EQ(scalar_from_name(scalar_name(scalar)), scalar);
}

TEST(Format, UnknownNamesListTheKnown) {
  EXPECT_EQ(error_of([] { scalar_from_name("float64"); }),
            "unknown scalar 'float64': use one of float32, float16, uint8");
  EXPECT_EQ(error_of([] { op_from_name("under"); }),
            "unknown operator 'under': use one of over, closest, add, max, min");
}

TEST(Format, OperatorsThatDoNotSuitAreErrors) {
  EXPECT_EQ(error_of([] { check_format({Scalar::uint8, 3, false}, Op::over); }),
            "over needs an alpha channel (4 channels), but the image is RGB uint8");
  EXPECT_EQ(error_of([] { check_format({Scalar::uint8, 4, false}, Op::closest); }),
            "closest needs a depth plane, but the image is RGBA uint8");
  EXPECT_EQ(error_of([] { check_format({Scalar::uint8, 2, false}, Op::add); }),
            "an image has 3 (RGB) or 4 (RGBA) channels, not 2");
}

TEST(Format, OnlySelectionAndOverDependOnOrder) {
  for (Op op : testing::all_ops) EXPECT_EQ(commutes(op), op != Op::over && op != Op::closest);
}

TEST(Format, ScalarsOfPartialsAndAccumulators) {
  for (Op op : testing::all_ops)
    for (Scalar scalar : {Scalar::float32, Scalar::float16, Scalar::uint8}) {
      EXPECT_EQ(partial_scalar(scalar, op),
                op == Op::over && scalar == Scalar::uint8 ? Scalar::float32 : scalar);
      EXPECT_EQ(accumulator_scalar(scalar, op), op == Op::closest ? scalar : Scalar::float32);
    }
}

TEST(Blend, WrongArgumentsAreErrors) {
  testing::Image image({Scalar::float32, 4, false}, 8);
  const std::vector<Link> chain{image.link()};
  const auto message = [&](std::span<const Link> links, bool depth, Pixels out, std::int64_t n) {
    return error_of([&] { blend(Op::add, 4, depth, links, out, Scalar::float32, n); });
  };
  EXPECT_EQ(message({}, false, image.pixels(), 8), "blend: the chain is empty; it needs at least one link");
  EXPECT_EQ(message(chain, false, image.pixels(), -1), "blend: the number of pixels is negative (-1)");
  EXPECT_EQ(message(chain, false, {}, 8), "blend: the output has no colour (null pointer)");
  float depth[8];
  EXPECT_EQ(message(chain, true, {image.pixels().colour, depth}, 8),
            "blend: link 0 has no depth plane (null pointer), though depth is asked for");
  EXPECT_EQ(message(chain, false, {}, 0), "");
}

TEST(Targets, EndWithTheBaselineAndRefuseOthers) {
  const std::vector<std::string> targets = kernel_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.back(), "baseline");
  EXPECT_EQ(error_of([] { use_target("mmx"); }).find("no kernels for 'mmx' on this processor: use one of "),
            0u);
}

}  // namespace
}  // namespace sortlast
