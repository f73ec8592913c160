// Visibility orders along trees that the caller has.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

#include "box_scenes.hpp"
#include "execute/box_orders.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::Boxes;
using testing::expect_front_to_back;
using testing::no_data;
using testing::Random;
using testing::random_view;
using testing::uniform;
using Numbers = std::vector<std::int32_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Tree {
  Boxes boxes;
  std::vector<SplitNode> nodes;
};

// A cell as a leaf, or divided by planes across one, two or three axes.
std::int32_t grow(const Box& cell, int depth, Tree& tree, Random& random) {
  if (depth == 0 || random() % 6 == 0) {
    if (random() % 5 == 0) return SplitNode::nothing;
    tree.boxes.push_back(cell);
    return -static_cast<std::int32_t>(tree.boxes.size());
  }
  const std::size_t number = tree.nodes.size();
  SplitNode node;
  node.axes = 1 + static_cast<unsigned>(random() % 7);
  for (std::size_t axis = 0; axis < 3; ++axis)
    node.position[axis] = cell.low[axis] + (cell.high[axis] - cell.low[axis]) * uniform(random, 0.2, 0.8);
  tree.nodes.push_back(node);
  for (unsigned sides = 0; sides < 8; ++sides) {
    if ((sides & ~node.axes) != 0) continue;
    Box part = cell;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if ((node.axes >> axis & 1U) != 0)
        ((sides >> axis & 1U) != 0 ? part.low : part.high)[axis] = node.position[axis];
    }
    const std::int32_t child = grow(part, depth - 1, tree, random);
    tree.nodes[number].children[sides] = child;
  }
  return static_cast<std::int32_t>(number);
}

TEST(VisibilityTree, KdTreesAndOctreesFrom100Views) {
  Random random(18);
  for (int repeat = 0; repeat < 12; ++repeat) {
    Tree tree;
    if (grow({{0, 0, 0}, {8, 8, 8}}, 4, tree, random) < 0) continue;
    for (int views = 0; views < 100 && !tree.boxes.empty(); ++views) {
      const Viewpoint view = random_view(tree.boxes, true, random);
      const Numbers order = visibility_order(tree.boxes, tree.nodes, view);
      ASSERT_EQ(std::set<std::int32_t>(order.begin(), order.end()).size(), tree.boxes.size());
      Boxes sorted;
      for (const std::int32_t box : order) sorted.push_back(tree.boxes[static_cast<std::size_t>(box)]);
      expect_front_to_back(sorted, view);
      if (HasFailure()) return;
    }
  }
}

TEST(VisibilityTree, WhatIsWrongIsNamed) {
  const Boxes boxes{{{0, 0, 0}, {1, 1, 1}}, {{1, 0, 0}, {2, 1, 1}}, no_data};
  SplitNode root;
  root.axes = 1;
  root.position = {1, 0, 0};
  root.children[0] = -1;
  root.children[1] = -2;
  const auto error = [&](const std::vector<SplitNode>& nodes) -> std::string {
    try {
      visibility_order(boxes, nodes, {{9, 0.5, 0.5}, false});
    } catch (const ArgumentError& caught) {
      return caught.what();
    }
    return "";
  };
  const auto expect_error = [&](const std::vector<SplitNode>& nodes, const std::string& part) {
    EXPECT_NE(error(nodes).find(part), std::string::npos) << error(nodes) << "; expected: " << part;
  };
  EXPECT_EQ(visibility_order(boxes, std::vector{root}, {{9, 0.5, 0.5}, false}), (Numbers{1, 0, 2}));
  const auto with = [&](const std::function<void(SplitNode&)>& change) {
    SplitNode node = root;
    change(node);
    return std::vector{node};
  };
  expect_error({}, "the box of rank 0 is in no leaf");
  expect_error(with([](SplitNode& node) { node.axes = 0; }), "axes 0; expected 1 to 7");
  expect_error(with([](SplitNode& node) { node.axes = 9; }), "axes 9; expected 1 to 7");
  expect_error(with([](SplitNode& node) { node.position[0] = nan; }), "divides axis 0 at nan");
  expect_error(with([](SplitNode& node) { node.children[1] = 7; }), "the tree names node 7");
  expect_error(with([](SplitNode& node) { node.children[1] = 0; }), "node 0 of the tree is named twice");
  expect_error(with([](SplitNode& node) { node.children[1] = -9; }), "names box 8; there are 3");
  expect_error(with([](SplitNode& node) { node.children[0] = -2; }), "named by two leaves");
  expect_error(with([](SplitNode& node) { node.children[2] = -3; }), "has child 2, above a plane");
  expect_error(with([](SplitNode& node) { std::swap(node.children[0], node.children[1]); }),
               "is not inside its leaf's cell");
  expect_error(with([](SplitNode& node) { node.position[0] = 1.5; }), "is not inside its leaf's cell");
  std::vector<SplitNode> two(2, root);
  two[1].children.fill(SplitNode::nothing);
  expect_error(two, "node 1 of the tree is no child");
  two[0].children[1] = 1;
  two[1].position[0] = 0.5;
  expect_error(two, "node 1 of the tree divides axis 0 at 0.5");
}

}  // namespace
}  // namespace sortlast
