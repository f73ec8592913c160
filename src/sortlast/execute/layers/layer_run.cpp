// LayerRun: one rank's program at work on byte strings.
#include "sortlast/execute/layers/layer_run.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {

// ---- The program ----------------------------------------------------------------------------------

namespace {

// What writes each value.
struct Writers {
  std::int64_t receive = -1;        // that defines it
  std::vector<std::size_t> merges;  // that fill parts of it
};

}  // namespace

LayerProgram::LayerProgram(Program made, const Setting& setting)
    : program(std::move(made)), spared(spared_transfers(program, setting)), uses(program.values.size(), 0) {
  std::vector<Writers> writers(program.values.size());
  const auto of = [&](Value value) -> Writers& { return writers[static_cast<std::size_t>(value)]; };
  for (std::size_t i = 0; i < program.receives.size(); ++i)
    of(program.receives[i].value).receive = static_cast<std::int64_t>(i);
  for (std::size_t i = 0; i < program.merges.size(); ++i) of(program.merges[i].value).merges.push_back(i);

  dependences.after_receive.resize(program.receives.size());
  dependences.after_merge.resize(program.merges.size());
  dependences.needs.resize(end() + 1, 0);
  const auto need = [&](std::size_t step, Value value, Range pixels) {
    ++uses[static_cast<std::size_t>(value)];
    if (of(value).receive >= 0) {
      dependences.after_receive[static_cast<std::size_t>(of(value).receive)].push_back(step);
      ++dependences.needs[step];
    }
    for (const std::size_t merge : of(value).merges) {
      if (intersection(program.merges[merge].pixels, pixels).empty()) continue;
      dependences.after_merge[merge].push_back(step);
      ++dependences.needs[step];
    }
  };
  for (std::size_t i = 0; i < program.merges.size(); ++i)
    for (const Merge::Input& input : program.merges[i].inputs) need(i, input.value, program.merges[i].pixels);
  for (std::size_t i = 0; i < program.sends.size(); ++i)
    need(first_send() + i, program.sends[i].value, program.sends[i].pixels);
  if (program.result >= 0)
    need(end(), program.result, program.values[static_cast<std::size_t>(program.result)].pixels);
  straight = std::all_of(program.sends.begin(), program.sends.end(),
                         [](const Send& send) { return send.value == 0; });
}

// Enough of them that a piece's blocks can be shared out to threads, and not so small that their headers
// count.
std::int64_t layer_block(std::int64_t n, std::int32_t p) {
  constexpr std::int64_t blocks_of_a_piece = 16;
  constexpr std::int64_t least = 4096;
  return std::max(least, n / (blocks_of_a_piece * std::max<std::int64_t>(1, p)));
}

// ---- Steps ----------------------------------------------------------------------------------------

LayerRun::LayerRun(const LayerProgram& program, std::int64_t block, Pool& pool, Team& team)
    : plan_(program),
      program_(program.program),
      block_(block),
      pool_(pool),
      team_(team),
      values_(program_.values.size()) {}

void LayerRun::begin_frame(const LayerContent& content) {
  content_ = &content;
  uses_ = plan_.uses;
  needs_ = plan_.dependences.needs;
  ready_ = {};
  entries(0).push_back({program_.values.front().pixels, {}, true});
  // Steps that need nothing; those that follow from them are taken on the way.
  for (std::size_t step = 0; step < plan_.end(); ++step)
    if (plan_.dependences.needs[step] == 0) take_step(step);
}

void LayerRun::settle(const std::vector<std::size_t>& steps) {
  for (const std::size_t step : steps)
    if (--needs_[step] == 0) take_step(step);
}

void LayerRun::take_step(std::size_t step) {
  if (step < plan_.first_send()) {
    merge(program_.merges[step]);
    settle(plan_.dependences.after_merge[step]);
  } else if (step < plan_.end()) {
    const std::size_t send = step - plan_.first_send();
    if (!plan_.spared.sends[send]) ready_.emplace(program_.sends[send].stage, send);
  }
}

void LayerRun::merge(const Merge& merge) {
  for (const Merge::Input& input : merge.inputs) {
    for (const Entry& entry : entries(input.value)) {
      const Range window = intersection(entry.window, merge.pixels);
      if (!window.empty()) entries(merge.value).push_back({window, entry.string, entry.own});
    }
    use_up(input.value);
  }
}

void LayerRun::use_up(Value value) {
  if (--uses_[static_cast<std::size_t>(value)] == 0) entries(value).clear();
}

bool LayerRun::complete() const { return needs_[plan_.end()] == 0; }

std::optional<std::size_t> LayerRun::next_send(std::int32_t last_stage) {
  if (ready_.empty() || ready_.top().first > last_stage) return std::nullopt;
  const std::size_t send = ready_.top().second;
  ready_.pop();
  return send;
}

void LayerRun::end_frame() {
  for (std::vector<Entry>& value : values_) value.clear();
  content_ = nullptr;
}

// ---- Units ----------------------------------------------------------------------------------------

std::vector<LayerRun::Unit> LayerRun::units_of(Value value, Range pixels) {
  std::vector<std::int64_t> cuts{pixels.begin, pixels.end};
  for (std::int64_t cut = (pixels.begin / block_ + 1) * block_; cut < pixels.end; cut += block_)
    cuts.push_back(cut);
  for (const Entry& entry : entries(value)) {
    const Range part = intersection(entry.window, pixels);
    if (!part.empty()) cuts.insert(cuts.end(), {part.begin, part.end});
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<Unit> units(pixels.empty() ? 0 : cuts.size() - 1);
  for (std::size_t i = 0; i < units.size(); ++i) units[i].pixels = {cuts[i], cuts[i + 1]};
  for (const Entry& entry : entries(value)) {
    const Range part = intersection(entry.window, pixels);
    if (part.empty()) continue;
    const auto first = std::lower_bound(cuts.begin(), cuts.end(), part.begin) - cuts.begin();
    for (auto i = static_cast<std::size_t>(first); i < units.size() && units[i].pixels.begin < part.end;
         ++i) {
      if (entry.own) {
        units[i].own = true;
      } else {
        units[i].strings.push_back({&entry.string, units[i].pixels});
      }
    }
  }
  return units;
}

// As few as keep the threads busy.
std::vector<LayerRun::Unit> LayerRun::long_units_of(Value value, Range pixels) {
  constexpr std::int64_t units_of_a_thread = 4;
  const std::int64_t parts =
      team_.size() == 1 ? 1 : std::min(units_of_a_thread * team_.size(), pixels.size() / block_ + 1);
  std::vector<std::int64_t> cuts;
  for (std::int64_t part = 0; part <= parts; ++part)
    cuts.push_back(pixels.begin + pixels.size() * part / parts);
  for (const Entry& entry : entries(value)) {
    const Range part = intersection(entry.window, pixels);
    if (entry.own && !part.empty()) cuts.insert(cuts.end(), {part.begin, part.end});
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<Unit> units;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    Unit unit{{cuts[i], cuts[i + 1]}, false, {}};
    for (const Entry& entry : entries(value)) {
      const Range part = intersection(entry.window, unit.pixels);
      if (part.empty()) continue;
      if (entry.own) {
        unit.own = true;
      } else {
        unit.strings.push_back({&entry.string, part});
      }
    }
    units.push_back(std::move(unit));
  }
  return units;
}

// Work on every unit, each thread of the team on some.
template <typename Work>
void LayerRun::share_out(std::size_t units, const Work& work) {
  if (units < 2 || team_.size() == 1) {
    for (std::size_t i = 0; i < units; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  team_.run([&](int) {
    for (std::size_t i = next++; i < units; i = next++) work(i);
  });
}

// The strings of one unit after the other, cut to it where they are of more pixels.
class LayerRun::Joiner {
 public:
  Joiner(const LayerContent& content, Pool& pool)
      : content_(content), scratch_([&pool](std::size_t bytes) { return pool.take(bytes); }) {}

  // Append the join of all; `for_mates`: for ranks of the node.
  void append(const Unit& unit, bool for_mates, Bytes& out) {
    if (unit.strings.empty()) {
      if (unit.own && for_mates) content_.encode_for_mates(unit.pixels, out);
      if (unit.own && !for_mates) content_.encode_own(unit.pixels, out);
      return;
    }
    const std::span<const LayerContent::String> strings = collect(unit, true, false);
    if (strings.size() == 1 && !unit.strings.front().string->of_mate) {
      out.append(strings.front());
    } else if (!strings.empty()) {
      content_.join(strings, unit.pixels, out);
    }
  }

  void finish(const Unit& unit, Pixels out, Bytes* joined) {
    content_.finish(collect(unit, false, content_.takes_parts()), unit.own, unit.pixels, out, joined);
  }

 private:
  // The strings, cut to the unit's pixels; `whole`: only where they must not be looked at beyond a part of
  // it.
  std::span<const LayerContent::String> collect(const Unit& unit, bool with_own, bool whole) {
    scratch_.shrink(0);
    strings_.clear();
    cut_.clear();
    for (const auto& [string, pixels] : unit.strings) {
      const bool fits =
          whole ? intersection(string->pixels, unit.pixels) == pixels : string->pixels == pixels;
      if (fits) {
        strings_.push_back(string->bytes);
        continue;
      }
      scratch_.align(LayerString::alignment);
      const std::size_t begin = scratch_.size();
      content_.cut(string->bytes, string->pixels, pixels, scratch_);
      keep_from(begin);
    }
    if (with_own && unit.own) {
      scratch_.align(LayerString::alignment);
      const std::size_t begin = scratch_.size();
      content_.encode_own(unit.pixels, scratch_);
      keep_from(begin);
    }
    // Only now the scratch stays where it is.
    for (const auto& [begin, bytes] : cut_) strings_.push_back(scratch_.view().subspan(begin, bytes));
    return strings_;
  }

  void keep_from(std::size_t begin) {
    if (scratch_.size() > begin) cut_.emplace_back(begin, scratch_.size() - begin);
  }

  const LayerContent& content_;
  Bytes scratch_;
  std::vector<std::pair<std::size_t, std::size_t>> cut_;  // where they begin in the scratch, and their bytes
  std::vector<LayerContent::String> strings_;
};

// ---- Messages -------------------------------------------------------------------------------------

void LayerRun::outgoing(std::size_t send, Bytes& message) {
  const Send& step = program_.sends[send];
  const bool whole = plan_.straight && content_->takes_parts();
  const std::vector<Unit> units =
      whole ? long_units_of(step.value, step.pixels) : units_of(step.value, step.pixels);
  const bool for_mates = plan_.spared.sends[send];
  StringPacker packer(message, units.size());
  if (team_.size() == 1) {
    Joiner joiner(*content_, pool_);
    for (const Unit& unit : units) {
      packer.begin();
      joiner.append(unit, for_mates, message);
      packer.end(unit.pixels);
    }
  } else {
    std::vector<Bytes> strings(units.size(), Bytes(from_pool()));
    share_out(units.size(),
              [&](std::size_t i) { Joiner(*content_, pool_).append(units[i], for_mates, strings[i]); });
    for (std::size_t i = 0; i < units.size(); ++i) {
      packer.begin();
      message.append(strings[i].view());
      packer.end(units[i].pixels);
    }
  }
  use_up(step.value);
}

void LayerRun::arrived(std::size_t receive, std::span<const std::byte> message,
                       const std::shared_ptr<const void>& memory) {
  const Receive& step = program_.receives[receive];
  const Range pixels = program_.values[static_cast<std::size_t>(step.value)].pixels;
  try {
    std::int64_t next = pixels.begin;
    for (LayerString& string : unpacked(message, memory)) {
      if (string.pixels.begin != next) break;
      next = string.pixels.end;
      const Range part = string.pixels;
      string.of_mate = plan_.spared.receives[receive];
      if (!string.bytes.empty()) entries(step.value).push_back({part, std::move(string), false});
    }
    if (next != pixels.end) throw Error("its strings are of wrong pixels");
  } catch (const Error& error) {
    throw Error("the message of rank " + std::to_string(step.peer) + " at stage " +
                std::to_string(step.stage) + " is damaged: " + error.what());
  }
  settle(plan_.dependences.after_receive[receive]);
}

// ---- The end --------------------------------------------------------------------------------------

std::vector<LayerString> LayerRun::finish(Pixels out, const Format& format) {
  if (program_.result < 0) return {};
  const Range piece = program_.values[static_cast<std::size_t>(program_.result)].pixels;
  const std::vector<Unit> units =
      content_->takes_parts() ? long_units_of(program_.result, piece) : units_of(program_.result, piece);
  const bool keeps = content_->keeps_joined();
  std::vector<Bytes> joined(keeps ? units.size() : 0, Bytes(from_pool()));
  share_out(units.size(), [&](std::size_t i) {
    const Unit& unit = units[i];
    Joiner(*content_, pool_)
        .finish(unit, advance(out, format, unit.pixels.begin - piece.begin), keeps ? &joined[i] : nullptr);
  });
  std::vector<LayerString> kept;
  for (std::size_t i = 0; i < joined.size(); ++i)
    kept.push_back({units[i].pixels, joined[i].view(), joined[i].memory()});
  return kept;
}

}  // namespace sortlast
