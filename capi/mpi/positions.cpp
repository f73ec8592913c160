// Positions of many boxes per rank. Errors in one rank's arguments are reported to all ranks.
#include <cstdint>
#include <string>
#include <vector>

#include "handle.hpp"
#include "image.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast_mpi.h"

struct sortlast_positions : sortlast::capi::Handle {
  std::vector<std::int64_t> positions;
  std::vector<sortlast_box> boxes;
  std::vector<std::int32_t> sources;
};

using namespace sortlast;
using namespace sortlast::capi;

namespace {

std::vector<SplitNode> split_tree_of(const sortlast_split_node* tree, std::int32_t nodes) {
  std::vector<SplitNode> result(static_cast<std::size_t>(nodes));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i].axes = tree[i].axes;
    std::copy_n(tree[i].position, 3, result[i].position.begin());
    std::copy_n(tree[i].children, 8, result[i].children.begin());
  }
  return result;
}

std::string problem_of(const sortlast_box* boxes, std::int32_t count, const sortlast_split_node* tree,
                       std::int32_t nodes) {
  if (count < 0) return "count is " + std::to_string(count) + "; expected 0 or more";
  if (boxes == nullptr && count > 0) return "boxes is NULL with a count of " + std::to_string(count);
  if (nodes < 0) return "nodes is " + std::to_string(nodes) + "; expected 0 or more";
  if (tree == nullptr && nodes > 0) return "tree is NULL with " + std::to_string(nodes) + " nodes";
  return "";
}

template <class T>
const T* data_of(const std::vector<T>& values) {
  return values.empty() ? nullptr : values.data();
}

}  // namespace

sortlast_status sortlast_positions_create(MPI_Comm comm, const sortlast_box* boxes, int32_t count,
                                          sortlast_viewpoint viewpoint, bool split,
                                          const sortlast_split_node* tree, int32_t nodes, double timeout,
                                          sortlast_positions** positions) {
  return make_handle(positions, [&](sortlast_positions& made) {
    const std::string problem = problem_of(boxes, count, tree, nodes);
    std::vector<Box> own;
    std::vector<SplitNode> split_tree;
    if (problem.empty()) {
      for (std::int32_t i = 0; i < count; ++i) own.push_back(box_of(boxes + i));
      split_tree = split_tree_of(tree, nodes);
    }
    const BoxPositions found = detail::CompositorAccess::visibility_positions(
        comm, own, viewpoint_of(viewpoint), {split, split_tree, timeout}, problem, {});
    made.positions = found.positions;
    made.sources = found.sources;
    for (const Box& box : found.boxes)
      made.boxes.push_back({{box.low[0], box.low[1], box.low[2]}, {box.high[0], box.high[1], box.high[2]}});
  });
}

int32_t sortlast_positions_count(const sortlast_positions* positions) {
  return positions == nullptr ? 0 : static_cast<std::int32_t>(positions->positions.size());
}

const int64_t* sortlast_positions_of_boxes(const sortlast_positions* positions) {
  return positions == nullptr ? nullptr : data_of(positions->positions);
}

const sortlast_box* sortlast_positions_boxes(const sortlast_positions* positions) {
  return positions == nullptr ? nullptr : data_of(positions->boxes);
}

const int32_t* sortlast_positions_sources(const sortlast_positions* positions) {
  return positions == nullptr ? nullptr : data_of(positions->sources);
}

const char* sortlast_positions_message(const sortlast_positions* positions) { return message_of(positions); }

void sortlast_positions_free(sortlast_positions* positions) { delete positions; }
