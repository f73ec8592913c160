// Prediction of a schedule's time, by walking programs.
//
// The model. A rank's stages are grouped into phases: a stage begins a new phase if it sends data that
// depends on the previous phase. Shift and direct-send have one phase, radix-k one per round, the pipeline p
// - 1. In a phase
//   - a rank pays alpha for each message between nodes, and the node's link pays beta for each byte of all
//     its ranks, in the busier direction;
//   - messages within the node and blending are work for its cores: the sum over the ranks is divided among
//     the cores, but no rank's own work is divided;
//   - blending hides behind waiting for other nodes, except for the work that needs the last message.
// Phases follow one another, because every rank waits for others at their ends.
//
// A merge reads each input once and writes its result once. If its inputs arrive in more stages than may be
// in progress at once, it takes several passes, which read and write the intermediate result again. A value
// between two merges of one stage costs little, because it is made in a single pass and stays in a cache. A
// share a of active pixels becomes 1 - (1 - a)^d after merging d images. For fragments of several layers
// (images that are not neighbours in depth), this holds for each layer.
//
// Measured medians on 2 cores, 2048x1024 RGBA float32, one node by message, gathered, in ms: 8 ranks
// direct-send 21.9, radix-k:8 22.6, shift 24.5, 2-3-swap 25.8, binary-swap 27.5, pipeline 32.2, tree 31.5; 4
// ranks direct-send, radix-k:4 and shift 14.3 to 14.5. The model predicts each time for 8 ranks within 12 %.
// The closed forms of cost.hpp, which charge gamma for each merged pair, cannot distinguish direct-send from
// binary swap there.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "sortlast/machine.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/schedule/between.hpp"
#include "sortlast/schedule/cost/closed_form.hpp"
#include "sortlast/schedule/depth_layers.hpp"

namespace sortlast {
namespace {

constexpr std::size_t most_walked_ranks = 16;

// Time to read and write cached pixels, relative to pixels in memory. A tree of 4 to 16 images in pairs takes
// 1.03 to 1.2 times as long as one chain, measured on two cores.
constexpr double in_cache = 0.05;

// The work of a rank in a phase.
struct Work {
  double sent_messages = 0;  // between nodes
  double received_messages = 0;
  double sent_bytes = 0;
  double received_bytes = 0;
  double transfer = 0;  // messages within the node [s]
  double blend = 0;     // [s]
  double messages = 0;  // received, from anywhere
};

// Maps ranks to nodes.
class Placement {
 public:
  Placement(const Setting& setting, const Machine& machine)
      : p_(setting.p), nodes_(setting.nodes), ranks_(machine.ranks) {}

  bool shares_memory() const { return !nodes_.empty(); }

  std::int32_t node(std::int32_t rank) const {
    return nodes_.empty() ? rank / ranks_ : nodes_[static_cast<std::size_t>(rank)];
  }

  std::vector<std::int32_t> members(std::int32_t wanted) const {
    std::vector<std::int32_t> ranks;
    for (std::int32_t rank = 0; rank < p_; ++rank) {
      if (node(rank) == wanted) ranks.push_back(rank);
    }
    return ranks;
  }

  std::int32_t largest() const {
    std::vector<std::int32_t> sizes(static_cast<std::size_t>(p_), 0);
    for (std::int32_t rank = 0; rank < p_; ++rank) ++sizes[static_cast<std::size_t>(node(rank))];
    return static_cast<std::int32_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  }

 private:
  std::int32_t p_;
  const std::vector<std::int32_t>& nodes_;
  std::int32_t ranks_;
};

// Walks the programs of one node.
class NodeWalk {
 public:
  NodeWalk(const Schedule& schedule, const Workload& workload, const Machine& machine,
           const Placement& placement, const DepthLayers& layers, std::int32_t node)
      : schedule_(schedule),
        workload_(workload),
        machine_(machine),
        placement_(placement),
        layers_(layers),
        node_(node) {
    const std::vector<std::int32_t> ranks = placement.members(node);
    size_ = static_cast<double>(ranks.size());
    const std::size_t count = std::min(ranks.size(), most_walked_ranks);
    for (std::size_t i = 0; i < count; ++i) {
      programs_.push_back(schedule.program(ranks[i * ranks.size() / count]));
      ready_.push_back(ready_stages(programs_.back()));
    }
  }

  Prediction run() {
    find_phases();
    std::vector<std::vector<Work>> work;  // per rank and phase
    for (std::size_t i = 0; i < programs_.size(); ++i) work.push_back(walk(programs_[i], ready_[i]));
    Prediction prediction;
    for (std::size_t phase = 0; phase < phases_; ++phase) {
      std::vector<Work> ranks;
      ranks.reserve(work.size());
      for (const auto& rank : work) ranks.push_back(rank[phase]);
      add_phase(prediction, ranks);
    }
    if (workload_.staged && shares_) {
      const double whole = static_cast<double>(schedule_.n()) * workload_.pixel_bytes * workload_.active;
      prediction.copy = machine_.copy * whole * std::max(1.0, size_ / cores());
    }
    return prediction;
  }

 private:
  using Stages = std::vector<std::int32_t>;

  double cores() const { return machine_.cores > 0 ? machine_.cores : size_; }

  double bytes(Range pixels, Range depth) const {
    const DepthLayers::Count count = layers_.of(depth);
    if (count.layers == 0) return 0;
    const auto layers = static_cast<double>(count.layers);
    const double active = 1 - std::pow(1 - workload_.active, static_cast<double>(count.images) / layers);
    return static_cast<double>(pixels.size()) * workload_.pixel_bytes * active * layers;
  }

  // The latest stage that each value of a program depends on; 0 for the rank's own image.
  static Stages ready_stages(const Program& program) {
    Stages ready(program.values.size(), 0);
    for (const Receive& receive : program.receives)
      ready[static_cast<std::size_t>(receive.value)] = receive.stage;
    for (const Merge& merge : program.merges) {
      std::int32_t& stage = ready[static_cast<std::size_t>(merge.value)];
      for (const Merge::Input& input : merge.inputs)
        stage = std::max(stage, ready[static_cast<std::size_t>(input.value)]);
    }
    return ready;
  }

  void find_phases() {
    Stages needed(static_cast<std::size_t>(schedule_.stages()) + 1, 0);
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      for (const Send& send : programs_[i].sends) {
        std::int32_t& stage = needed[static_cast<std::size_t>(send.stage)];
        stage = std::max(stage, ready_[i][static_cast<std::size_t>(send.value)]);
      }
    }
    phase_.assign(needed.size(), 0);
    std::int32_t first = 1;
    for (std::int32_t stage = 1; stage < static_cast<std::int32_t>(needed.size()); ++stage) {
      if (needed[static_cast<std::size_t>(stage)] >= first) {
        first = stage;
        ++phases_;
      }
      phase_[static_cast<std::size_t>(stage)] = phases_ - 1;
    }
  }

  std::vector<Work> walk(const Program& program, const Stages& ready) {
    std::vector<Work> work(phases_);
    const auto at_stage = [&](std::int32_t stage) -> Work& {
      return work[phase_[static_cast<std::size_t>(stage)]];
    };
    for (const Send& send : program.sends) {
      Work& now = at_stage(send.stage);
      if (placement_.node(send.peer) == node_) {
        if (placement_.shares_memory() && send.value == 0) meet(now);
        continue;
      }
      now.sent_messages += 1;
      now.sent_bytes += bytes(send.pixels, program.values[static_cast<std::size_t>(send.value)].depth);
    }
    for (const Receive& receive : program.receives) {
      const Fragment& fragment = program.values[static_cast<std::size_t>(receive.value)];
      take(at_stage(receive.stage), placement_.node(receive.peer) == node_, fragment);
    }
    const std::vector<Between> between = values_between(program);
    for (const Merge& merge : program.merges) {
      at_stage(ready[static_cast<std::size_t>(merge.value)]).blend +=
          blending(program, merge, ready, between);
    }
    return work;
  }

  void take(Work& now, bool within_node, const Fragment& fragment) {
    now.messages += 1;
    const double size = bytes(fragment.pixels, fragment.depth);
    if (!within_node) {
      now.received_messages += 1;
      now.received_bytes += size;
    } else if (placement_.shares_memory() && fragment.depth.size() == 1) {
      meet(now);
    } else {
      now.transfer += machine_.node_alpha + machine_.node_beta * size;
    }
  }

  // A rank's own image is read in place, once its reader and the rank have met.
  void meet(Work& now) {
    shares_ = true;
    now.transfer = std::max(now.transfer, machine_.node_alpha);
  }

  double blending(const Program& program, const Merge& merge, const Stages& ready,
                  const std::vector<Between>& between) const {
    const auto moved = [&](Value value) {
      const auto number = static_cast<std::size_t>(value);
      const std::size_t reader = between[number].reader;
      const bool stays = reader != Between::none &&
                         ready[static_cast<std::size_t>(program.merges[reader].value)] == ready[number];
      return (stays ? in_cache : 1) * bytes(merge.pixels, program.values[number].depth);
    };
    double read = 0;
    std::set<std::int32_t> stages;
    for (const Merge::Input& input : merge.inputs) {
      read += moved(input.value);
      const std::int32_t stage = ready[static_cast<std::size_t>(input.value)];
      if (stage > 0) stages.insert(stage);
    }
    const double window = schedule_.window();
    const double passes =
        window > 0 ? std::max(1.0, std::ceil(static_cast<double>(stages.size()) / window)) : 1.0;
    const double written = moved(merge.value);
    return machine_.gamma_read * (read + (passes - 1) * written) + machine_.gamma_write * passes * written;
  }

  // Add the time of a phase, given the work of the ranks that were walked.
  void add_phase(Prediction& prediction, const std::vector<Work>& ranks) const {
    Work sum;
    double messages = 0;
    double most_cpu = 0;
    double most_received = 0;
    for (const Work& rank : ranks) {
      sum.sent_bytes += rank.sent_bytes;
      sum.received_bytes += rank.received_bytes;
      sum.transfer += rank.transfer;
      sum.blend += rank.blend;
      messages = std::max({messages, rank.sent_messages, rank.received_messages});
      most_cpu = std::max(most_cpu, rank.transfer + rank.blend);
      most_received = std::max(most_received, rank.messages);
    }
    const double all = size_ / static_cast<double>(ranks.size());
    const double wait =
        machine_.alpha * messages + machine_.beta * all * std::max(sum.sent_bytes, sum.received_bytes);
    prediction.transfer += wait;

    const double cpu = all * (sum.transfer + sum.blend);
    if (cpu == 0) return;
    const double stretch = std::max(most_cpu, cpu / cores()) / cpu;
    const double blend = stretch * all * sum.blend;
    prediction.transfer += stretch * all * sum.transfer;
    prediction.blend += std::max(blend / std::max(1.0, most_received), blend - wait);
  }

  const Schedule& schedule_;
  const Workload& workload_;
  const Machine& machine_;
  const Placement& placement_;
  const DepthLayers& layers_;
  std::int32_t node_;
  double size_ = 0;  // ranks of the node
  std::vector<Program> programs_;
  std::vector<Stages> ready_;
  std::vector<std::size_t> phase_;  // per stage
  std::size_t phases_ = 1;
  bool shares_ = false;  // whether ranks read the images of other ranks on their node
};

}  // namespace

namespace {

// Reduce the prediction to the work that remains after the last rank has arrived, if the others used the time
// before.
void leave_to_the_last(Prediction& prediction, double p, double spread) {
  if (p < 2 || spread == 0) return;
  const double not_hidden = 1 - spread / prediction.total();
  const double merges = std::ceil(std::log2(p)) / (p - 1) + 1 / p;
  prediction.transfer *= std::min(1.0, std::max(2 / p, not_hidden));
  prediction.blend *= std::min(1.0, std::max(merges, not_hidden));
}

}  // namespace

Prediction predict(const Schedule& schedule, const Workload& workload, const Machine& machine) {
  check_workload(workload);
  check_machine(machine);
  const Setting& setting = schedule.setting();
  if (!is_walked(schedule.name(), setting.p))
    return ClosedForm(setting, workload, machine).predict(schedule.name());

  const Placement placement(setting, machine);
  const DepthLayers layers(schedule);
  Prediction slowest;
  for (const std::int32_t node : std::set{placement.node(at(setting.order, 0)), placement.largest()}) {
    Prediction prediction = NodeWalk(schedule, workload, machine, placement, layers, node).run();
    if (prediction.total() >= slowest.total()) slowest = std::move(prediction);
  }
  if (schedule.incremental()) leave_to_the_last(slowest, setting.p, workload.spread);
  slowest.name = schedule.name();
  return slowest;
}

}  // namespace sortlast
