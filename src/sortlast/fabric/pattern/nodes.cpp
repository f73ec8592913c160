// Patterns of ranks as seen by nodes: with nodes as participants, and without messages inside a node.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/pattern.hpp"

namespace sortlast::fabric {

namespace {

class OfNodes final : public Pattern {
 public:
  OfNodes(std::shared_ptr<const Pattern> pattern, std::int32_t ranks_per_node)
      : pattern_(std::move(pattern)), ranks_per_node_(ranks_per_node) {
    if (ranks_per_node >= 1 && pattern_->participants() % ranks_per_node == 0) return;
    throw ArgumentError(pattern_->name() + " of " + std::to_string(pattern_->participants()) +
                        " ranks on nodes of " + std::to_string(ranks_per_node) +
                        "; expected as many on each node");
  }

  std::string name() const override { return pattern_->name(); }
  std::int32_t participants() const override { return pattern_->participants() / ranks_per_node_; }
  std::int64_t stages() const override { return pattern_->stages(); }
  std::int64_t repeats(std::int64_t stage) const override { return pattern_->repeats(stage); }
  std::vector<Flow> flows(std::int64_t stage) const override {
    std::vector<Flow> flows = pattern_->flows(stage);
    for (Flow& flow : flows) {
      flow.source /= ranks_per_node_;
      flow.destination /= ranks_per_node_;
    }
    std::erase_if(flows, [](const Flow& flow) { return flow.source == flow.destination; });
    return flows;
  }

 private:
  std::shared_ptr<const Pattern> pattern_;
  std::int32_t ranks_per_node_;
};

}  // namespace

std::shared_ptr<const Pattern> node_pattern(std::shared_ptr<const Pattern> pattern,
                                            std::int32_t ranks_per_node) {
  if (ranks_per_node == 1) return pattern;
  return std::make_shared<OfNodes>(std::move(pattern), ranks_per_node);
}

namespace {

class WithoutLocal final : public Pattern {
 public:
  WithoutLocal(std::shared_ptr<const Pattern> whole, std::vector<std::int32_t> nodes)
      : whole_(std::move(whole)), nodes_(std::move(nodes)) {
    if (nodes_.size() == static_cast<std::size_t>(whole_->participants())) return;
    throw ArgumentError(std::to_string(nodes_.size()) + " nodes for the " +
                        std::to_string(whole_->participants()) + " participants of " + whole_->name());
  }

  std::string name() const override { return whole_->name(); }
  std::int32_t participants() const override { return whole_->participants(); }
  std::int64_t stages() const override { return whole_->stages(); }
  std::int64_t repeats(std::int64_t stage) const override { return whole_->repeats(stage); }
  std::vector<Flow> flows(std::int64_t stage) const override {
    std::vector<Flow> flows = whole_->flows(stage);
    std::erase_if(flows, [this](const Flow& flow) {
      return nodes_[static_cast<std::size_t>(flow.source)] ==
             nodes_[static_cast<std::size_t>(flow.destination)];
    });
    return flows;
  }

 private:
  std::shared_ptr<const Pattern> whole_;
  std::vector<std::int32_t> nodes_;
};

}  // namespace

std::shared_ptr<const Pattern> between_nodes(std::shared_ptr<const Pattern> pattern,
                                             std::vector<std::int32_t> nodes) {
  return std::make_shared<WithoutLocal>(std::move(pattern), std::move(nodes));
}

}  // namespace sortlast::fabric
