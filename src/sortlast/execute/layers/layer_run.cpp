// LayerRun: one rank's program at work on byte strings.
//
// A message lists its strings, then holds them: the number of strings and, for each, the pixels [begin, end)
// and the bytes, as 64-bit integers; then the bytes of all. Strings without bytes are left out.
#include "sortlast/execute/layers/layer_run.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
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

LayerProgram::LayerProgram(Program made) : program(std::move(made)), uses(program.values.size(), 0) {
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
    ready_.emplace(program_.sends[send].stage, send);
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
        units[i].strings.push_back(&entry.string);
      }
    }
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

  // Append the join of all.
  void append(const Unit& unit, Bytes& out) {
    if (unit.strings.empty()) {
      if (unit.own) content_.encode_own(unit.pixels, out);
      return;
    }
    const std::span<const LayerContent::String> strings = collect(unit, true);
    if (strings.size() == 1) {
      out.append(strings.front());
    } else if (!strings.empty()) {
      content_.join(strings, unit.pixels, out);
    }
  }

  void finish(const Unit& unit, Pixels out, Bytes* joined) {
    content_.finish(collect(unit, false), unit.own, unit.pixels, out, joined);
  }

 private:
  std::span<const LayerContent::String> collect(const Unit& unit, bool with_own) {
    scratch_.shrink(0);
    strings_.clear();
    cut_.clear();
    for (const LayerString* string : unit.strings) {
      if (string->pixels == unit.pixels) {
        strings_.push_back(string->bytes);
        continue;
      }
      const std::size_t begin = scratch_.size();
      content_.cut(string->bytes, string->pixels, unit.pixels, scratch_);
      keep_from(begin);
    }
    if (with_own && unit.own) {
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

namespace {

struct Listed {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint64_t bytes = 0;
};

[[noreturn]] void refuse(const Receive& receive, const std::string& what) {
  throw Error("the message of rank " + std::to_string(receive.peer) + " at stage " +
              std::to_string(receive.stage) + " is damaged: " + what);
}

}  // namespace

void LayerRun::outgoing(std::size_t send, Bytes& message) {
  const Send& step = program_.sends[send];
  const std::vector<Unit> units = units_of(step.value, step.pixels);
  const auto take = [this](std::size_t bytes) { return pool_.take(bytes); };

  // Leave room for the list, then encode.
  const std::size_t start = message.size();
  message.grow(sizeof(std::uint64_t) + units.size() * sizeof(Listed));
  std::vector<std::uint64_t> bytes(units.size(), 0);
  if (team_.size() == 1) {
    Joiner joiner(*content_, pool_);
    for (std::size_t i = 0; i < units.size(); ++i) {
      const std::size_t before = message.size();
      joiner.append(units[i], message);
      bytes[i] = message.size() - before;
    }
  } else {
    std::vector<Bytes> strings(units.size(), Bytes(take));
    share_out(units.size(), [&](std::size_t i) { Joiner(*content_, pool_).append(units[i], strings[i]); });
    for (std::size_t i = 0; i < units.size(); ++i) {
      bytes[i] = strings[i].size();
      message.append(strings[i].view());
    }
  }

  // Fill in the list.
  std::byte* at = message.data() + start;
  const std::uint64_t count = units.size();
  std::memcpy(at, &count, sizeof count);
  at += sizeof count;
  for (std::size_t i = 0; i < units.size(); ++i, at += sizeof(Listed)) {
    const Listed listed{units[i].pixels.begin, units[i].pixels.end, bytes[i]};
    std::memcpy(at, &listed, sizeof listed);
  }
  use_up(step.value);
}

void LayerRun::arrived(std::size_t receive, std::span<const std::byte> message,
                       std::shared_ptr<const void> memory) {
  const Receive& step = program_.receives[receive];
  const Range pixels = program_.values[static_cast<std::size_t>(step.value)].pixels;

  // Read the list.
  std::uint64_t count = 0;
  if (message.size() < sizeof count) refuse(step, "it is too short for its list of strings");
  std::memcpy(&count, message.data(), sizeof count);
  std::span<const std::byte> list = message.subspan(sizeof count);
  if (count > list.size() / sizeof(Listed)) refuse(step, "it is too short for its list of strings");
  std::span<const std::byte> strings = list.subspan(count * sizeof(Listed));

  // Take down the strings.
  std::int64_t next = pixels.begin;
  for (std::uint64_t i = 0; i < count; ++i, list = list.subspan(sizeof(Listed))) {
    Listed listed;
    std::memcpy(&listed, list.data(), sizeof listed);
    if (listed.begin != next || listed.end <= listed.begin || listed.end > pixels.end)
      refuse(step, "its strings are not of the pixels that they should be");
    if (listed.bytes > strings.size()) refuse(step, "it ends within a string");
    next = listed.end;
    const Range part{listed.begin, listed.end};
    if (listed.bytes > 0)
      entries(step.value).push_back({part, {part, strings.first(listed.bytes), memory}, false});
    strings = strings.subspan(listed.bytes);
  }
  if (next != pixels.end || !strings.empty())
    refuse(step, "its strings are not of the pixels that they should be");
  settle(plan_.dependences.after_receive[receive]);
}

// ---- The end --------------------------------------------------------------------------------------

std::vector<LayerString> LayerRun::finish(Pixels out, const Format& format) {
  if (program_.result < 0) return {};
  const Range piece = program_.values[static_cast<std::size_t>(program_.result)].pixels;
  const std::vector<Unit> units = units_of(program_.result, piece);
  const bool keeps = content_->keeps_joined();
  const auto take = [this](std::size_t bytes) { return pool_.take(bytes); };
  std::vector<Bytes> joined(keeps ? units.size() : 0, Bytes(take));
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
