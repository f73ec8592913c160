// Packed strings.
//
// A message is the number of its strings, then a list with an entry for each: the pixels [begin, end) and the
// bytes, all as 64-bit integers; then the strings, each starting at the next multiple of 8.
#include "sortlast/content/strings/packed_strings.hpp"

#include <cstring>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

struct Entry {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::uint64_t bytes = 0;
};

}  // namespace

StringPacker::StringPacker(Bytes& out, std::size_t count) : out_(out) {
  out.append_value(std::uint64_t{count});
  list_ = out.size();
  out.grow(count * sizeof(Entry));
}

void StringPacker::end(Range pixels) {
  const Entry entry{pixels.begin, pixels.end, out_.size() - begin_};
  std::memcpy(out_.data() + list_, &entry, sizeof entry);
  list_ += sizeof entry;
}

Outgoing outgoing_strings(Bytes& message) {
  Outgoing strings;
  strings.coding = Coding::string;
  strings.planes[0] = message.view();
  strings.head = message.data();
  strings.memory = message.memory();
  return strings;
}

std::vector<LayerString> unpacked(std::span<const std::byte> message,
                                  const std::shared_ptr<const void>& memory) {
  // Read the number.
  std::uint64_t count = 0;
  if (message.size() < sizeof count) throw Error("it is too short for its list of strings");
  std::memcpy(&count, message.data(), sizeof count);
  if (count > (message.size() - sizeof count) / sizeof(Entry))
    throw Error("it is too short for its list of strings");

  // Read the list, and find each string.
  std::vector<LayerString> strings;
  strings.reserve(count);
  std::size_t listed = sizeof count;
  std::size_t at = listed + count * sizeof(Entry);
  for (std::uint64_t i = 0; i < count; ++i, listed += sizeof(Entry)) {
    Entry entry;
    std::memcpy(&entry, message.data() + listed, sizeof entry);
    const std::int64_t before = strings.empty() ? 0 : strings.back().pixels.end;
    if (entry.begin < before || entry.end <= entry.begin) throw Error("its strings are of wrong pixels");
    at += (LayerString::alignment - at % LayerString::alignment) % LayerString::alignment;
    if (at > message.size() || entry.bytes > message.size() - at) throw Error("it ends within a string");
    strings.push_back({{entry.begin, entry.end}, message.subspan(at, entry.bytes), memory, false});
    at += entry.bytes;
  }
  if (at != message.size()) throw Error("it goes on after its last string");
  return strings;
}

}  // namespace sortlast
