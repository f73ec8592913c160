// String exchange.
#include "sortlast/execute/mpi/string_exchange.hpp"

#include <utility>

namespace sortlast {

StringExchange::StringExchange(std::shared_ptr<const Plan> plan, const FrameContext& with)
    : Exchange(plan, strings_, with),
      strings_(plan->indexed, string_block(plan->schedule->n(), plan->schedule->p()), with.pool, with.team),
      sharing_(with.node, with.pool) {}

std::vector<LayerString> StringExchange::run(const LayerContent& content, const Format& format,
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

// Send what is complete, hand over to the ranks of the node what this one started with, and take what they
// hand over.
void StringExchange::share() {
  open_stages();
  while (send_next()) take_messages();

  const double begin = trace_clock();
  const Program& program = plan().indexed.program;
  std::size_t count = 0;
  for (const IndexedTransfer& send : plan().indexed.sends) count += send.spared ? 1 : 0;
  sharing_.begin(count);
  for (std::size_t i = 0; i < program.sends.size(); ++i)
    if (plan().indexed.sends[i].spared)
      sharing_.add(program.sends[i].peer, plan().send_tags.number(i),
                   [&](Bytes& strings) { strings_.append_message(i, strings); });
  took_time(begin, 0);

  begin_wait(trace_clock());
  sharing_.meet(PixelBuffer::bytes(format_, plan().schedule->n()));
  end_wait(trace_clock());
  for (std::size_t i = 0; i < program.receives.size(); ++i) {
    if (!plan().indexed.receives[i].spared) continue;
    const std::int32_t peer = program.receives[i].peer;
    const LayerSharing::String string = sharing_.find(peer, plan().receive_tags.number(i));
    const bool direct = string.direct && !content_->pulls_from(peer);
    ++(direct ? context().traffic.direct : context().traffic.pulled);
    engine().arrived({i, 0}, {0, string.bytes, string.memory});
  }
}

}  // namespace sortlast
