// Publishing: spans of a rank's memory that the other ranks of its node can read, and a header that describes
// their contents.
//
// A rank describes its spans in the segment that all share (node/control.hpp). Others then read a span in
// place, if it lies in a segment, or copy it through the kernel. If the kernel forbids that, the owner first
// copies the span into a segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sortlast/execute/node/process_memory.hpp"
#include "sortlast/execute/node/segment.hpp"
#include "sortlast/execute/node/shared_memory.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Where a span lies.
enum class SpanKind : std::uint32_t {
  private_memory,  // of the owner's process; others read it through the kernel
  shared_memory,   // a segment, which others map
  device_memory,   // of a GPU, which others open (execute/device/gpu.hpp)
};

// A span of this process that others may read.
struct Span {
  const void* data = nullptr;
  std::size_t bytes = 0;
  // The bytes that others will read; none: all. If a copy is needed, only these are copied.
  std::optional<Range> needed = {};
  bool on_device = false;
};

// A span as described to the other ranks.
struct SpanRecord {
  SpanKind kind = SpanKind::private_memory;
  std::uint64_t address = 0;  // in the owner's process
  std::uint64_t bytes = 0;
  Place place;  // in a segment, if the memory is shared
};

// The spans and the header of one rank. Holds their description itself or, if it is long, its location.
struct PublicationRecord {
  std::uint64_t spans = 0;         // number of spans
  std::uint64_t header_bytes = 0;  // the header follows the records of the spans
  std::array<std::byte, 640> description = {};
  SpanRecord elsewhere;  // location of a longer description

  std::size_t description_bytes() const { return spans * sizeof(SpanRecord) + header_bytes; }
};
static_assert(std::is_trivially_copyable_v<PublicationRecord>);

// The spans and the header that a rank has published.
class Publication {
 public:
  Publication() = default;
  // Made from a description: the records of `spans` spans, then the header.
  Publication(std::vector<std::byte> description, std::size_t spans)
      : description_(std::move(description)), spans_(spans) {}

  std::size_t spans() const { return spans_; }
  SpanRecord span(std::size_t number) const {
    SpanRecord record;
    std::memcpy(&record, description_.data() + number * sizeof record, sizeof record);
    return record;
  }
  std::span<const std::byte> header() const {
    return std::span(description_).subspan(spans_ * sizeof(SpanRecord));
  }

 private:
  std::vector<std::byte> description_;
  std::size_t spans_ = 0;
};

// Publishes the spans of one rank.
class Publisher {
 public:
  // `remote_reads`: the other ranks can read the memory of this process through the kernel. `allocations`
  // must outlive the publisher.
  Publisher(Allocations& allocations, bool remote_reads)
      : allocations_(allocations), remote_reads_(remote_reads) {}

  // Whether others can read a span without a copy by its owner.
  bool readable(const Span& span) const {
    return remote_reads_ || span.bytes == 0 || span.on_device ||
           !allocations_.find(span.data, span.bytes).none();
  }

  // Describe spans and a header to the others. Meanwhile they may read the last publication, but not the one
  // before. Copies of spans last until the next call. Throws Error.
  void publish(std::span<const std::byte> header, std::span<const Span> spans, PublicationRecord& record);

 private:
  // A description too long for its record. There are two, used alternately, because others may still read the
  // last.
  struct List {
    Memory memory;
    std::vector<std::byte> own;  // used if there is no shared memory left
    std::size_t bytes = 0;       // of the memory
  };

  SpanRecord record_of(const void* data, std::size_t bytes) const;
  std::byte* list(std::size_t bytes, SpanRecord& where);
  void stage(std::span<const Span> spans, std::span<SpanRecord> records);

  Allocations& allocations_;
  bool remote_reads_;
  HugePages huge_pages_;
  std::optional<Segment> staged_;
  std::array<List, 2> lists_;
  std::size_t next_list_ = 0;
  std::vector<SpanRecord> records_;  // of the current call
};

}  // namespace sortlast
