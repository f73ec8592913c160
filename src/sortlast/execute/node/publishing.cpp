// Publishing.
#include "sortlast/execute/node/publishing.hpp"

#include <algorithm>
#include <cstring>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::size_t line = 64;

std::size_t to_line(std::size_t bytes) { return (bytes + line - 1) / line * line; }

}  // namespace

void Publisher::publish(std::span<const std::byte> header, std::span<const Span> spans,
                        PublicationRecord& record) {
  // Locate the spans.
  records_.clear();
  for (const Span& span : spans) {
    records_.push_back(record_of(span.data, span.bytes));
    if (span.on_device) records_.back().kind = SpanKind::device_memory;
    if (remote_reads_ && span.bytes > 0 && records_.back().kind == SpanKind::private_memory)
      huge_pages_.published(span.data, span.bytes);
  }
  if (!remote_reads_) stage(spans, records_);

  // Describe the spans.
  record.spans = spans.size();
  record.header_bytes = header.size();
  const std::size_t bytes = record.description_bytes();
  std::byte* const to =
      bytes <= record.description.size() ? record.description.data() : list(bytes, record.elsewhere);
  const std::size_t described = records_.size() * sizeof(SpanRecord);
  if (described > 0) std::memcpy(to, records_.data(), described);
  if (!header.empty()) std::memcpy(to + described, header.data(), header.size());
}

SpanRecord Publisher::record_of(const void* data, std::size_t bytes) const {
  const Place place = allocations_.find(data, bytes);
  return {place.none() ? SpanKind::private_memory : SpanKind::shared_memory,
          reinterpret_cast<std::uint64_t>(data), bytes, place};
}

// If the system has no more shared memory, use private memory, provided that others can read it.
std::byte* Publisher::list(std::size_t bytes, SpanRecord& where) {
  List& next = lists_[next_list_];
  next_list_ = 1 - next_list_;
  if (bytes > next.bytes) {
    next = {};
    try {
      next.memory = allocations_.take(2 * bytes);
      next.bytes = 2 * bytes;
    } catch (const Error&) {
      if (!remote_reads_) throw;
    }
  }
  if (bytes > next.bytes) next.own.resize(bytes);
  std::byte* const data = bytes > next.bytes ? next.own.data() : next.memory.get();
  where = record_of(data, bytes);
  return data;
}

// Copy the private spans into one segment. It stays valid until the next call, which reuses it.
void Publisher::stage(std::span<const Span> spans, std::span<SpanRecord> records) {
  std::size_t bytes = 0;
  for (const SpanRecord& record : records)
    if (record.kind == SpanKind::private_memory) bytes += to_line(record.bytes);
  if (bytes == 0) return;
  if (!staged_ || staged_->name().bytes < bytes || staged_->name().bytes / 4 > bytes) {
    staged_.reset();
    staged_.emplace(bytes);
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    SpanRecord& record = records[i];
    if (record.kind != SpanKind::private_memory || record.bytes == 0) continue;
    const Range needed = spans[i].needed.value_or(Range{0, static_cast<std::int64_t>(record.bytes)});
    const auto first = static_cast<std::size_t>(needed.begin);
    std::memcpy(staged_->data() + at + first, static_cast<const std::byte*>(spans[i].data) + first,
                static_cast<std::size_t>(needed.size()));
    record.kind = SpanKind::shared_memory;
    record.place = {staged_->name(), at};
    at += to_line(record.bytes);
  }
}

}  // namespace sortlast
