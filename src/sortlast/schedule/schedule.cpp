// The Schedule value: its parts, its transfers and its JSON.
#include "sortlast/schedule.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/schedule/depth_layers.hpp"

namespace sortlast {
namespace {

template <typename Items, typename Write>
void write_list(std::ostream& out, const Items& items, Write write) {
  out << '[';
  const char* separator = "";
  for (const auto& item : items) {
    out << separator;
    write(item);
    separator = ", ";
  }
  out << ']';
}

void write_range(std::ostream& out, Range range) { out << '[' << range.begin << ", " << range.end << ']'; }

void write_program(std::ostream& out, const Program& program) {
  out << "{\"rank\": " << program.rank << ", \"values\": ";
  write_list(out, program.values, [&out](const Fragment& fragment) {
    out << "{\"pixels\": ";
    write_range(out, fragment.pixels);
    out << ", \"depth\": ";
    write_range(out, fragment.depth);
    out << '}';
  });
  out << ", \"sends\": ";
  write_list(out, program.sends, [&out](const Send& send) {
    out << "{\"stage\": " << send.stage << ", \"peer\": " << send.peer << ", \"value\": " << send.value
        << ", \"pixels\": ";
    write_range(out, send.pixels);
    out << '}';
  });
  out << ", \"receives\": ";
  write_list(out, program.receives, [&out](const Receive& receive) {
    out << "{\"stage\": " << receive.stage << ", \"peer\": " << receive.peer
        << ", \"value\": " << receive.value << '}';
  });
  out << ", \"merges\": ";
  write_list(out, program.merges, [&out](const Merge& merge) {
    out << "{\"value\": " << merge.value << ", \"pixels\": ";
    write_range(out, merge.pixels);
    out << ", \"inputs\": ";
    write_list(out, merge.inputs, [&out](const Merge::Input& input) {
      out << "{\"value\": " << input.value << ", \"front\": " << (input.front ? "true" : "false") << '}';
    });
    out << '}';
  });
  out << ", \"result\": " << program.result << '}';
}

}  // namespace

Range intersection(Range a, Range b) {
  const Range both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.empty() ? Range{} : both;
}

Range piece_of(std::int64_t n, std::int64_t g, std::int64_t j) {
  const auto cut = [n, g](std::int64_t i) {
    return static_cast<std::int64_t>(static_cast<__int128>(i) * n / g);
  };
  return {cut(j), cut(j + 1)};
}

Schedule::Schedule(std::string name, std::shared_ptr<const Setting> setting,
                   std::shared_ptr<const Algorithm> algorithm)
    : name_(std::move(name)), setting_(std::move(setting)), algorithm_(std::move(algorithm)) {}

Program Schedule::program(std::int32_t rank) const {
  check_rank(rank);
  return algorithm_->program(rank);
}

Range Schedule::piece(std::int32_t rank) const {
  check_rank(rank);
  const Range piece = algorithm_->piece(rank);
  return piece.empty() ? Range{} : piece;
}

std::int32_t Schedule::stages() const { return algorithm_->stages(); }

std::int32_t Schedule::window() const { return algorithm_->window(); }

bool Schedule::incremental() const { return algorithm_->incremental(); }

void Schedule::check_rank(std::int32_t rank) const {
  if (rank >= 0 && rank < p()) return;
  throw ArgumentError("rank " + std::to_string(rank) + " does not take part; expected 0.." +
                      std::to_string(p() - 1));
}

std::vector<Transfer> Schedule::transfers() const {
  const DepthLayers layers(*this);
  std::vector<Transfer> all;
  for (std::int32_t rank = 0; rank < p(); ++rank) {
    const Program program = this->program(rank);
    for (const Send& send : program.sends) {
      const Fragment& whole = program.values[static_cast<std::size_t>(send.value)];
      all.push_back({send.stage, rank, send.peer, {send.pixels, whole.depth}, layers.of(whole.depth).layers});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Transfer& a, const Transfer& b) { return a.stage < b.stage; });
  return all;
}

std::string Schedule::to_json() const {
  std::ostringstream out;
  const auto write_rank = [&out](std::int32_t rank) { out << rank; };
  out << "{\"algorithm\": \"" << name() << "\", \"p\": " << p() << ", \"n\": " << n()
      << ", \"stages\": " << stages() << ", \"order\": ";
  write_list(out, setting_->order, write_rank);
  out << ", \"ring\": ";
  write_list(out, setting_->ring, write_rank);
  out << ", \"nodes\": ";
  write_list(out, setting_->nodes, write_rank);
  out << ", \"positions\": ";
  write_list(out, setting_->positions, [&out](const std::vector<std::int64_t>& positions) {
    write_list(out, positions, [&out](std::int64_t position) { out << position; });
  });
  out << ", \"programs\": [";
  for (std::int32_t rank = 0; rank < p(); ++rank) {
    out << (rank == 0 ? "\n" : ",\n");
    write_program(out, program(rank));
  }
  out << "\n]}\n";
  return out.str();
}

}  // namespace sortlast
