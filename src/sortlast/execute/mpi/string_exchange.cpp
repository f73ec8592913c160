// String exchange.
#include "sortlast/execute/mpi/string_exchange.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/node_spans.hpp"

namespace sortlast {
namespace {

constexpr std::size_t line = 64;
constexpr std::uint64_t meeting_of_strings = 0x737472696e6773;  // the same hash on all ranks of the node

// Labels a span published by a rank with its receiver and its number among the rank's messages to that
// receiver.
struct Label {
  std::int32_t peer = 0;
  std::uint32_t number = 0;
};

// The span published by `sender` with a given label.
SpanRecord find_span(const Publication& published, int sender, const Label& wanted) {
  for (std::size_t i = 0; i < published.spans(); ++i) {
    Label label;
    if ((i + 1) * sizeof label > published.header().size()) break;
    std::memcpy(&label, published.header().data() + i * sizeof label, sizeof label);
    if (label.peer == wanted.peer && label.number == wanted.number) return published.span(i);
  }
  throw Error("rank " + std::to_string(sender) + " shares no string " + std::to_string(wanted.number) +
              " with this rank");
}

}  // namespace

// If the system has no more shared memory, private memory is used, and the others copy from it.
StringExchange::StringExchange(const std::shared_ptr<const Plan>& plan, const FrameContext& with)
    : Exchange(plan, strings_, with),
      strings_(plan->indexed, string_block(plan->schedule->n(), plan->schedule->p()), with.pool, with.team),
      shared_([&node = with.node, &pool = with.pool](std::size_t bytes) {
        try {
          return node.allocate(bytes);
        } catch (const Error&) {
          return pool.take(bytes);
        }
      }) {}

std::vector<LayerString> StringExchange::run(const StringCodec& content, const Format& format,
                                             const std::function<PixelBuffer()>& place,
                                             const StringOptions& options, const FrameContext& with) {
  content_ = &content;
  place_ = &place;
  format_ = format;
  messages().set_strings(options);
  strings_.begin_frame(content);
  run_frame(with);
  return strings_.take_joined();
}

// Send complete values, hand over to the ranks of the node the values this rank started with, and take the
// values that they hand over.
void StringExchange::share() {
  engine().start();
  while (send_next()) take_messages();

  const double begin = trace_clock();
  const Offer offer = write_shared();
  took_time(begin, 0);

  begin_wait(trace_clock());
  if (!context().node.meet(offer, "composite"))
    throw Error("the ranks of a node have not agreed on the frame");
  end_wait(trace_clock());
  take_shared();
}

// Write the messages for ranks of the node one after another; each is a span.
Offer StringExchange::write_shared() {
  Offer offer;
  offer.hash = meeting_of_strings;
  offer.frame_bytes = PixelBuffer::bytes(format_, plan().schedule->n());
  const Program& program = plan().indexed.program;
  std::vector<Label> labels;
  std::vector<std::size_t> begins;
  shared_.shrink(0);
  for (std::size_t i = 0; i < program.sends.size(); ++i) {
    if (!plan().indexed.sends[i].spared) continue;
    shared_.align(line);
    begins.push_back(shared_.size());
    strings_.append_message(i, shared_);
    labels.push_back({program.sends[i].peer, plan().send_tags.number(i)});
    offer.spans.push_back({nullptr, shared_.size() - begins.back()});
  }
  for (std::size_t i = 0; i < begins.size(); ++i) offer.spans[i].data = shared_.data() + begins[i];
  offer.header.resize(labels.size() * sizeof(Label));
  if (!labels.empty()) std::memcpy(offer.header.data(), labels.data(), offer.header.size());
  return offer;
}

void StringExchange::take_shared() {
  Node& node = context().node;
  const std::vector<Publication> published = publications(node);
  const Program& program = plan().indexed.program;
  for (std::size_t i = 0; i < program.receives.size(); ++i) {
    if (!plan().indexed.receives[i].spared) continue;
    const std::int32_t peer = program.receives[i].peer;
    const SpanRecord span = find_span(published[static_cast<std::size_t>(peer)], peer,
                                      {context().comm.rank(), plan().receive_tags.number(i)});
    const std::byte* string = node.in_place(peer, span);
    Memory copied;
    if (string == nullptr) {
      copied = context().pool.take(span.bytes);
      RemoteCopy copy{copied.get(), span.address, span.bytes};
      node.read(peer, {&copy, 1});
      string = copied.get();
    }
    const bool direct = !copied && !content_->pulls_from(peer);
    ++(direct ? context().traffic.direct : context().traffic.pulled);
    strings_.arrived({i, 0}, {0, {string, span.bytes}, copied});
    engine().in_place(i);
  }
}

void StringExchange::end_sharing() {
  Node& node = context().node;
  for (const int peer : node.neighbours().members)
    if (peer != context().comm.rank()) node.release(peer);
  node.wait_until_read("composite");
}

}  // namespace sortlast
