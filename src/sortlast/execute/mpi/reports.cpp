// Reports.
#include "sortlast/execute/mpi/reports.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sstream>

namespace sortlast {

Report make_report(int rank, bool failed, const std::string& text) {
  Report report{rank, failed ? 1 : 0, {}};
  std::strncpy(report.text.data(), text.c_str(), report.text.size() - 1);
  return report;
}

void Reports::merge_word(std::size_t word, std::uint64_t bits) {
  const std::uint64_t fresh = bits & ~come_[word];
  if (fresh == 0) return;
  come_[word] |= fresh;
  count_ += std::popcount(fresh);
  changed_blocks_.insert(static_cast<std::int32_t>(word * 64 / ReportMessage::block_ranks));
}

void Reports::add(const Report& report) {
  if (report.rank < 0 || report.rank >= p_) return;
  merge_word(word_of(report.rank), std::uint64_t{1} << (report.rank % 64));
  if (report.failed != 0) {
    if (failure_ && failure_->rank <= report.rank) return;
    failure_ = report;
    changed_reports_.insert(report.rank);
    return;
  }
  if (!waiting_.try_emplace(report.rank, report).second) return;
  changed_reports_.insert(report.rank);
  if (waiting_.size() <= listed) return;
  changed_reports_.erase(waiting_.rbegin()->first);
  waiting_.erase(std::prev(waiting_.end()));
}

void Reports::merge(const ReportMessage& message) {
  add(message.report);
  if (message.block < 0) return;
  const auto first = static_cast<std::size_t>(message.block) * message.come.size();
  for (std::size_t i = 0; i < message.come.size() && first + i < come_.size(); ++i)
    merge_word(first + i, message.come[i]);
}

std::vector<ReportMessage> Reports::changes() {
  std::vector<ReportMessage> messages(std::max(changed_blocks_.size(), changed_reports_.size()));
  std::size_t at = 0;
  for (const std::int32_t rank : changed_reports_) {
    const auto found = waiting_.find(rank);
    messages[at++].report = failure_ && failure_->rank == rank ? *failure_ : found->second;
  }
  at = 0;
  for (const std::int32_t block : changed_blocks_) {
    ReportMessage& message = messages[at++];
    message.block = block;
    const auto first = static_cast<std::size_t>(block) * message.come.size();
    const std::size_t words = std::min(message.come.size(), come_.size() - first);
    std::copy_n(&come_[first], words, message.come.data());
  }
  changed_blocks_.clear();
  changed_reports_.clear();
  return messages;
}

std::string Reports::text() const {
  std::ostringstream out;
  const auto silent = static_cast<std::size_t>(p_ - count_);
  if (silent == 0) {
    out << "all ranks have come by now, but too late for some";
  } else {
    out << (silent == 1 ? "rank " : "ranks ");
    std::size_t named = 0;
    for (int rank = 0; rank < p_ && named < listed; ++rank) {
      if (!has_come(rank)) out << (named++ == 0 ? "" : ", ") << rank;
    }
    if (silent > listed) out << " and " << silent - listed << " more";
    out << (silent == 1 ? " has" : " have") << " not come";
  }
  for (const auto& [rank, report] : waiting_) out << "; rank " << rank << " waits for " << report.text.data();
  const auto more = static_cast<std::size_t>(count_) - waiting_.size();
  if (more > 0) out << "; and " << more << " more ranks wait";
  return out.str();
}

std::vector<int> next_ranks(int rank, int p) {
  std::vector<int> ranks;
  for (std::int64_t distance = 1; distance < p; distance *= 2)
    ranks.push_back(static_cast<int>((rank + distance) % p));
  return ranks;
}

}  // namespace sortlast
