// Schedules and the names of algorithms.
#include "sortlast/schedule.hpp"

#include <optional>
#include <vector>

#include "handle.hpp"
#include "image.hpp"
#include "sortlast/error.hpp"

struct sortlast_schedule : sortlast::capi::Handle {
  std::optional<sortlast::Schedule> schedule;  // none if making it failed
  std::optional<std::vector<sortlast_transfer>> transfers;
  std::optional<std::string> json;
};

using namespace sortlast;
using namespace sortlast::capi;

namespace {

const Schedule& made(const sortlast_schedule& handle) {
  if (!handle.schedule) throw ArgumentError("this schedule was not made; check the status of its creation");
  return *handle.schedule;
}

sortlast_setting read_setting(const sortlast_setting* setting) {
  constexpr std::size_t first = offsetof(sortlast_setting, ring) + sizeof(sortlast_setting::ring);
  return read_struct<sortlast_setting>(setting, SORTLAST_SETTING_INIT, first, "sortlast_setting",
                                       "SORTLAST_SETTING_INIT");
}

sortlast_range range_of(Range range) { return {range.begin, range.end}; }

std::vector<sortlast_transfer> transfers_of(const Schedule& schedule) {
  std::vector<sortlast_transfer> result;
  for (const Transfer& transfer : schedule.transfers()) {
    result.push_back({transfer.stage, transfer.source, transfer.destination,
                      range_of(transfer.fragment.pixels), range_of(transfer.fragment.depth)});
  }
  return result;
}

}  // namespace

const char* sortlast_algorithm_usage(int32_t index) {
  try {
    const auto entries = algorithms();
    if (index < 0 || static_cast<std::size_t>(index) >= entries.size()) return nullptr;
    return entries[static_cast<std::size_t>(index)].usage.c_str();
  } catch (...) {  // no memory for the list, which is made at the first call
    return nullptr;
  }
}

sortlast_status sortlast_schedule_create(const char* algorithm, const sortlast_setting* setting,
                                         sortlast_schedule** schedule) {
  return make_handle(schedule, [&](sortlast_schedule& handle) {
    if (setting == nullptr) throw ArgumentError("the setting is NULL; expected p and n");
    const sortlast_setting what = read_setting(setting);
    handle.schedule = make_schedule(
        algorithm == nullptr ? "auto" : algorithm,
        {what.p, what.n, ranks_of(what.order, what.p), ranks_of(what.ring, what.p), what.commutes});
  });
}

const char* sortlast_schedule_message(const sortlast_schedule* schedule) { return message_of(schedule); }

void sortlast_schedule_free(sortlast_schedule* schedule) { delete schedule; }

const char* sortlast_schedule_name(const sortlast_schedule* schedule) {
  return schedule == nullptr || !schedule->schedule ? "" : schedule->schedule->name().c_str();
}

int32_t sortlast_schedule_stages(const sortlast_schedule* schedule) {
  return schedule == nullptr || !schedule->schedule ? 0 : schedule->schedule->stages();
}

sortlast_status sortlast_schedule_piece(sortlast_schedule* schedule, int32_t rank, sortlast_range* piece) {
  if (schedule == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*schedule, [&] {
    if (piece == nullptr) throw ArgumentError("the place for the piece is NULL");
    *piece = range_of(made(*schedule).piece(rank));
  });
}

sortlast_status sortlast_schedule_verify(sortlast_schedule* schedule) {
  if (schedule == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*schedule, [&] { made(*schedule).verify(); });
}

sortlast_status sortlast_schedule_transfers(sortlast_schedule* schedule, const sortlast_transfer** transfers,
                                            int64_t* count) {
  if (transfers != nullptr) *transfers = nullptr;
  if (count != nullptr) *count = 0;
  if (schedule == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*schedule, [&] {
    if (transfers == nullptr || count == nullptr)
      throw ArgumentError("the place for the transfers or for their count is NULL");
    if (!schedule->transfers) schedule->transfers = transfers_of(made(*schedule));
    *transfers = schedule->transfers->data();
    *count = static_cast<int64_t>(schedule->transfers->size());
  });
}

sortlast_status sortlast_schedule_json(sortlast_schedule* schedule, const char** json) {
  if (json != nullptr) *json = nullptr;
  if (schedule == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*schedule, [&] {
    if (json == nullptr) throw ArgumentError("the place for the text is NULL");
    if (!schedule->json) schedule->json = made(*schedule).to_json();
    *json = schedule->json->c_str();
  });
}
