// How far a composite may be from the oracle whose float32 colours travelled as float16.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "scene.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast::testing {

// Most transfers that the pixels of any one image go through until they are part of the result.
inline int most_transfers(const Schedule& schedule) {
  std::vector<Program> programs;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) programs.push_back(schedule.program(rank));

  // The k-th send of a pair belongs to its k-th receive.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<Value>> sent;
  for (const Program& program : programs)
    for (const Send& send : program.sends) sent[{program.rank, send.peer}].push_back(send.value);

  // Pass on what is known until nothing changes.
  std::vector<std::vector<int>> transfers;
  for (const Program& program : programs) transfers.emplace_back(program.values.size(), 0);
  const auto of = [&](std::int32_t rank, Value value) -> int& {
    return transfers[static_cast<std::size_t>(rank)][static_cast<std::size_t>(value)];
  };
  for (bool changed = true; changed;) {
    changed = false;
    const auto raise = [&](int& known, int found) {
      changed |= found > known;
      known = std::max(known, found);
    };
    for (const Program& program : programs) {
      std::map<std::int32_t, std::size_t> next;
      for (const Receive& receive : program.receives) {
        const Value from = sent.at({receive.peer, program.rank})[next[receive.peer]++];
        raise(of(program.rank, receive.value), of(receive.peer, from) + 1);
      }
      for (const Merge& merge : program.merges)
        for (const Merge::Input& input : merge.inputs)
          raise(of(program.rank, merge.value), of(program.rank, input.value));
    }
  }
  int most = 0;
  for (const Program& program : programs)
    if (program.result >= 0) most = std::max(most, of(program.rank, program.result));
  return most;
}

// Images in [0, 1], premultiplied, that go through at most t transfers. A transfer rounds each channel by at
// most e = 2^-11 of itself. Under `over` the pixel is the sum of T_i c_i, T_i being what the images in front
// of i let through: rounded c_i change it by e of itself, and rounded alphas by e sum(T_i a_i B_i) <= e,
// where B_i <= 1 is what lies behind. Both together are 2 e a transfer, whatever p. Sums change by e of
// themselves; what is selected is rounded once, as what has been rounded stays as it is.
inline float half_bound(Op op, std::int64_t p, int t) {
  const auto e = std::ldexp(1.0F, -11);
  const auto transfers = static_cast<float>(t);
  const auto images = static_cast<float>(p);
  const float second_order = images * transfers * std::ldexp(1.0F, -19);
  const float association = tolerance({}, op, p, false);
  if (op == Op::over) return 2 * e * transfers + second_order + association;
  if (op == Op::add) return e * transfers * images + second_order + association;
  return e;
}

// Let no colour of a scene of float32 images pass its alpha.
inline void premultiply(Scene& scene, std::int32_t p) {
  if (scene.format().channels != 4) return;
  for (std::int32_t rank = 0; rank < p; ++rank) {
    auto* const values = reinterpret_cast<float*>(scene.image(static_cast<std::size_t>(rank)).colour.data());
    for (std::int64_t pixel = 0; pixel < scene.size().pixels(); ++pixel)
      for (int c = 0; c < 3; ++c)
        values[pixel * 4 + c] = std::min(values[pixel * 4 + c], values[pixel * 4 + 3]);
  }
}

}  // namespace sortlast::testing
