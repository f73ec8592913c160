// StringContent.
#include "sortlast/content/strings/string_content.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {

// Enough blocks per piece to distribute them among threads, but large enough that their headers do not
// matter.
std::int64_t string_block(std::int64_t n, std::int32_t p) {
  constexpr std::int64_t blocks_of_a_piece = 16;
  constexpr std::int64_t least = 4096;
  return std::max(least, n / (blocks_of_a_piece * std::max<std::int64_t>(1, p)));
}

// ---- Merges ---------------------------------------------------------------------------------------

StringContent::StringContent(const IndexedProgram& program, std::int64_t block, Pool& pool, Team& team)
    : index_(program),
      program_(program.program),
      straight_(std::all_of(program_.sends.begin(), program_.sends.end(),
                            [](const Send& send) { return send.value == 0; })),
      block_(block),
      pool_(pool),
      team_(team),
      values_(program_.values.size()) {}

void StringContent::begin_frame(const StringCodec& own) {
  own_ = &own;
  uses_.clear();
  for (const IndexedValue& value : index_.values) uses_.push_back(value.uses);
  there_.assign(program_.receives.size(), false);
  inputs_.assign(program_.merges.size(), 0);
  merged_.assign(program_.merges.size(), false);
  merges_left_ = program_.merges.size();
  entries(0).push_back({program_.values.front().pixels, {}, true});
}

void StringContent::place(const PixelBuffer& result, const Format& format) {
  result_ = result;
  format_ = format;
}

bool StringContent::ready(Value value, Range pixels) const {
  if (value == 0) return true;
  const IndexedValue& of = index_.value(value);
  if (of.receive != IndexedValue::none) return there_[of.receive];
  return std::all_of(of.writers.begin(), of.writers.end(), [&](std::size_t writer) {
    return merged_[writer] || intersection(program_.merges[writer].pixels, pixels).empty();
  });
}

bool StringContent::offer(std::size_t number) {
  const Merge& step = program_.merges[number];
  std::size_t& complete = inputs_[number];
  if (merged_[number]) return false;
  while (complete < step.inputs.size() && ready(step.inputs[complete].value, step.pixels)) ++complete;
  if (complete < step.inputs.size()) return false;
  merge(step);
  merged_[number] = true;
  --merges_left_;
  return true;
}

void StringContent::merge(const Merge& merge) {
  for (const Merge::Input& input : merge.inputs) {
    for (const Entry& entry : entries(input.value)) {
      const Range window = intersection(entry.window, merge.pixels);
      if (!window.empty()) entries(merge.value).push_back({window, entry.string, entry.own});
    }
    use_once(input.value);
  }
}

void StringContent::use_once(Value value) {
  if (--uses_[static_cast<std::size_t>(value)] == 0 && value != 0 && value != program_.result)
    entries(value).clear();
}

void StringContent::end_frame() {
  for (std::vector<Entry>& value : values_) value.clear();
  own_ = nullptr;
  result_ = PixelBuffer();
}

// ---- Units ----------------------------------------------------------------------------------------

std::vector<StringContent::Unit> StringContent::units_of(Value value, Range pixels) {
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
std::vector<StringContent::Unit> StringContent::long_units_of(Value value, Range pixels) {
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

// Process every unit, distributed over the threads of the team.
template <typename Each>
void StringContent::share_out(std::size_t units, const Each& each) {
  if (units < 2 || team_.size() == 1) {
    for (std::size_t i = 0; i < units; ++i) each(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  team_.run([&](int) {
    for (std::size_t i = next++; i < units; i = next++) each(i);
  });
}

// Joins the strings of one unit after another, cut to the unit if they cover more pixels.
class StringContent::Joiner {
 public:
  Joiner(const StringCodec& content, Pool& pool)
      : content_(content), scratch_([&pool](std::size_t bytes) { return pool.take(bytes); }) {}

  // Append the join of all; `for_mates`: for ranks of the node.
  void append(const Unit& unit, bool for_mates, Bytes& out) {
    if (unit.strings.empty()) {
      if (unit.own && for_mates) content_.encode_for_mates(unit.pixels, out);
      if (unit.own && !for_mates) content_.encode_own(unit.pixels, out);
      return;
    }
    const std::span<const StringCodec::String> strings = collect(unit, true, false);
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
  // The strings, cut to the unit's pixels; `whole`: cut only strings that must not be read beyond a part of
  // the unit.
  std::span<const StringCodec::String> collect(const Unit& unit, bool with_own, bool whole) {
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
    // From here on, the scratch memory stays at its address.
    for (const auto& [begin, bytes] : cut_) strings_.push_back(scratch_.view().subspan(begin, bytes));
    return strings_;
  }

  void keep_from(std::size_t begin) {
    if (scratch_.size() > begin) cut_.emplace_back(begin, scratch_.size() - begin);
  }

  const StringCodec& content_;
  Bytes scratch_;
  std::vector<std::pair<std::size_t, std::size_t>> cut_;  // offset in the scratch memory, and size
  std::vector<StringCodec::String> strings_;
};

// ---- Messages -------------------------------------------------------------------------------------

Outgoing StringContent::outgoing(Chunk chunk) {
  Bytes message(from_pool());
  message.grow(string_head_bytes);
  append_message(chunk.transfer, message);
  use_once(program_.sends[chunk.transfer].value);
  return outgoing_strings(message);
}

void StringContent::append_message(std::size_t send, Bytes& message) {
  const Send& step = program_.sends[send];
  const bool whole = straight_ && own_->takes_parts();
  const std::vector<Unit> units =
      whole ? long_units_of(step.value, step.pixels) : units_of(step.value, step.pixels);
  const bool for_mates = index_.sends[send].spared;
  StringPacker packer(message, units.size());
  if (team_.size() == 1) {
    Joiner joiner(*own_, pool_);
    for (const Unit& unit : units) {
      packer.begin();
      joiner.append(unit, for_mates, message);
      packer.end(unit.pixels);
    }
  } else {
    std::vector<Bytes> strings(units.size(), Bytes(from_pool()));
    share_out(units.size(),
              [&](std::size_t i) { Joiner(*own_, pool_).append(units[i], for_mates, strings[i]); });
    for (std::size_t i = 0; i < units.size(); ++i) {
      packer.begin();
      message.append(strings[i].view());
      packer.end(units[i].pixels);
    }
  }
}

Incoming StringContent::incoming(Chunk /*chunk*/) {
  throw Error("a string of unknown size was to be received in memory made for it");
}

void StringContent::arrived(Chunk chunk, const Arrived& arrival) {
  const Receive& step = program_.receives[chunk.transfer];
  const Range pixels = program_.values[static_cast<std::size_t>(step.value)].pixels;
  try {
    std::int64_t next = pixels.begin;
    for (LayerString& string : unpacked(arrival.string, arrival.memory)) {
      if (string.pixels.begin != next) break;
      next = string.pixels.end;
      const Range part = string.pixels;
      string.of_mate = index_.receives[chunk.transfer].spared;
      if (!string.bytes.empty()) entries(step.value).push_back({part, std::move(string), false});
    }
    if (next != pixels.end) throw Error("its strings are of wrong pixels");
  } catch (const Error& error) {
    throw Error("the message of rank " + std::to_string(step.peer) + " at stage " +
                std::to_string(step.stage) + " is damaged: " + error.what());
  }
  there_[chunk.transfer] = true;
}

// ---- The end --------------------------------------------------------------------------------------

PixelBuffer StringContent::take_result() {
  joined_.clear();
  if (program_.result < 0) return {};
  const Range piece = program_.values[static_cast<std::size_t>(program_.result)].pixels;
  const std::vector<Unit> units =
      own_->takes_parts() ? long_units_of(program_.result, piece) : units_of(program_.result, piece);
  const bool keeps = own_->keeps_joined();
  std::vector<Bytes> joined(keeps ? units.size() : 0, Bytes(from_pool()));
  share_out(units.size(), [&](std::size_t i) {
    const Unit& unit = units[i];
    Joiner(*own_, pool_)
        .finish(unit, advance(result_.view(), format_, unit.pixels.begin - piece.begin),
                keeps ? &joined[i] : nullptr);
  });
  for (std::size_t i = 0; i < joined.size(); ++i)
    joined_.push_back({units[i].pixels, joined[i].view(), joined[i].memory()});
  return result_;
}

}  // namespace sortlast
