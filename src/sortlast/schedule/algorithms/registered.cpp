// Algorithms that a program adds at run time, written with a ScheduleBuilder.
#include <algorithm>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/schedule_builder.hpp"

namespace sortlast {

// Definitions are never removed, because names that have been parsed refer to them; the last of a name
// counts.
class RegisteredAlgorithms {
 public:
  void add(AlgorithmDefinition definition) {
    const std::lock_guard lock(mutex_);
    definitions_.push_back(std::move(definition));
  }

  const AlgorithmDefinition* find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(definitions_.rbegin(), definitions_.rend(),
                                    [&](const AlgorithmDefinition& each) { return each.name == name; });
    return found == definitions_.rend() ? nullptr : &*found;
  }

  std::set<std::string> names() {
    const std::lock_guard lock(mutex_);
    std::set<std::string> all;
    for (const AlgorithmDefinition& each : definitions_) all.insert(each.name);
    return all;
  }

 private:
  std::mutex mutex_;
  std::deque<AlgorithmDefinition> definitions_;
};

namespace {

// The programs of all ranks, made at once.
class Built final : public Algorithm {
 public:
  explicit Built(std::vector<Program> programs) : programs_(std::move(programs)) {
    for (const Program& program : programs_) {
      if (!program.sends.empty()) stages_ = std::max(stages_, program.sends.back().stage);
    }
  }

  Program program(std::int32_t rank) const override { return programs_[static_cast<std::size_t>(rank)]; }
  Range piece(std::int32_t rank) const override {
    const Program& program = programs_[static_cast<std::size_t>(rank)];
    return program.result < 0 ? Range{} : program.values[static_cast<std::size_t>(program.result)].pixels;
  }
  std::int32_t stages() const override { return stages_; }

 private:
  std::vector<Program> programs_;
  std::int32_t stages_ = 0;
};

// The list in use: of this copy of the library, until it shares another. Never destroyed, because its
// functions may belong to a language that has ended by then.
RegisteredAlgorithms*& list_in_use() {
  static RegisteredAlgorithms* const own =
      new RegisteredAlgorithms;  // NOLINT(cppcoreguidelines-owning-memory)
  static RegisteredAlgorithms* list = own;
  return list;
}

bool is_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

}  // namespace

RegisteredAlgorithms& registered_algorithms() { return *list_in_use(); }

void share_registered(RegisteredAlgorithms& list) { list_in_use() = &list; }

const AlgorithmDefinition* find_registered(std::string_view name) {
  return registered_algorithms().find(name);
}

std::vector<std::string> registered_names() {
  const std::set<std::string> names = registered_algorithms().names();
  return {names.begin(), names.end()};
}

void register_algorithm(std::string_view name, std::string_view summary,
                        std::function<void(ScheduleBuilder&)> build) {
  const std::string own(name);
  if (!is_name(name)) throw ArgumentError("name is '" + own + "'; expected letters, digits, '-' and '_'");
  const auto published = algorithms();
  if (name == "auto" || std::any_of(published.begin(), published.end(),
                                    [&](const AlgorithmEntry& entry) { return entry.name == name; })) {
    throw ArgumentError("name is '" + own + "', an algorithm of sortlast; expected another one");
  }
  if (!build) throw ArgumentError("build is empty; expected a function");
  registered_algorithms().add(
      {{own, own + "[:PARAMETERS]", std::string(summary), "", "", "partially"},
       [build = std::move(build)](const Setting& setting,
                                  std::string& parameters) -> std::unique_ptr<Algorithm> {
         ScheduleBuilder builder(setting, parameters);
         build(builder);
         return std::make_unique<Built>(std::move(builder).programs());
       },
       [own](std::int32_t, const std::string&) -> CostTerms {
         throw ArgumentError("algorithm '" + own + "' has no published cost; price its schedule instead");
       },
       true});
}

}  // namespace sortlast
