// Bracket lists. Plain names can be folded and come back.
#include <algorithm>

#include "sortlast/fabric/files.hpp"
#include "target.hpp"

using namespace sortlast::fabric;
namespace fuzz = sortlast::fuzz;

namespace {

bool is_plain_name(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::run(data, size, [](std::string_view text) {
    const std::vector<std::string> names = read_node_list(text, fuzz::file);
    if (!std::ranges::all_of(names, is_plain_name)) return;
    fuzz::expect(read_node_list(fold_node_list(names), fuzz::file) == names);
  });
}
