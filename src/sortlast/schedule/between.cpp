// Between.
#include "sortlast/schedule/between.hpp"

namespace sortlast {

std::vector<Between> values_between(const Program& program) {
  struct Uses {
    int made = 0;  // by merges
    int read = 0;  // by merges and sends
  };
  std::vector<Uses> uses(program.values.size());
  std::vector<Between> values(program.values.size());
  const auto place = [](Value value) { return static_cast<std::size_t>(value); };
  for (const Send& send : program.sends) ++uses[place(send.value)].read;
  for (std::size_t i = 0; i < program.merges.size(); ++i) {
    const Merge& merge = program.merges[i];
    ++uses[place(merge.value)].made;
    values[place(merge.value)].maker = i;
    for (std::size_t k = 0; k < merge.inputs.size(); ++k) {
      const std::size_t read = place(merge.inputs[k].value);
      ++uses[read].read;
      values[read].reader = i;
      values[read].input = k;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Between& value = values[i];
    const bool between = static_cast<Value>(i) != program.result && uses[i].made == 1 && uses[i].read == 1 &&
                         value.reader != Between::none &&
                         program.merges[value.maker].pixels == program.merges[value.reader].pixels;
    if (!between) values[i] = {};
  }
  return values;
}

}  // namespace sortlast
