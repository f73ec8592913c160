#include "report.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <string>

namespace sortlast::icet {
namespace {

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

void print_times(const IceTContextStruct& context) {
  const Times& times = context.frame.times;
  std::fprintf(
      stderr,
      "sortlast: frame %d, %zu tile(s), %s: %.2f ms; drawing %.2f, compositing %.2f (of that blending %.2f, "
      "collecting %.2f, waiting for other ranks %.2f)\n",
      context.frame.count, context.settings.tiles.size(), context.compositor->algorithm().c_str(),
      1e3 * times.total, 1e3 * times.render, 1e3 * times.composite(), 1e3 * times.blend, 1e3 * times.collect,
      1e3 * times.late);
}

// The activity of drawing, beside those of the compositor.
constexpr int drawing = -1;

// An event as it travels to rank 0.
struct Record {
  std::int32_t activity = drawing;
  std::int32_t peer = -1;
  std::int32_t stage = -1;
  std::int32_t rank = 0;
  double begin = 0;
  double end = 0;
  std::int64_t bytes = 0;
};

// The file, which stays a list without its end until the program's: viewers take it so, and a session that is
// killed leaves what it recorded.
class TraceFile {
 public:
  explicit TraceFile(const char* path) : file_(path) {
    file_ << "[\n" << std::fixed << std::setprecision(3);
    if (!file_)
      raise_warning(ICET_INVALID_VALUE, std::string("SORTLAST_TRACE: ") + path + " cannot be written");
  }

  void add(const std::vector<Record>& records) {
    if (zero_ < 0 && !records.empty()) zero_ = records.front().begin;
    for (const Record& record : records) {
      const bool message = record.activity == static_cast<int>(Activity::send) ||
                           record.activity == static_cast<int>(Activity::receive);
      if (!message) {
        put(record, "X", record.begin);
        file_ << ",\"dur\":" << 1e6 * (record.end - record.begin) << "},\n";
        continue;
      }
      // Messages overlap, which slices of one track must not.
      for (const bool end : {false, true}) {
        put(record, end ? "e" : "b", end ? record.end : record.begin);
        file_ << ",\"cat\":\"message\",\"id\":" << number_ << "},\n";
      }
      ++number_;
    }
    file_.flush();
  }

 private:
  void put(const Record& record, const char* phase, double when) {
    const std::string_view name =
        record.activity == drawing ? "draw" : activity_name(static_cast<Activity>(record.activity));
    file_ << "{\"name\":\"" << name << "\",\"ph\":\"" << phase << "\",\"pid\":" << record.rank
          << ",\"tid\":0,\"ts\":" << 1e6 * (when - zero_) << ",\"args\":{\"peer\":" << record.peer
          << ",\"stage\":" << record.stage << ",\"bytes\":" << record.bytes << "}";
  }

  std::ofstream file_;
  double zero_ = -1;
  std::int64_t number_ = 0;
};

void add_to_trace(IceTContextStruct& context, double draw_begin, double draw_end) {
  // Bring the events to rank 0.
  std::vector<Record> own(1);
  own[0] = {drawing, -1, -1, context.rank, draw_begin, draw_end, 0};
  for (const Event& event : context.compositor->events()) {
    own.push_back({static_cast<std::int32_t>(event.activity), event.peer, event.stage, context.rank,
                   event.begin, event.end, event.bytes});
  }
  context.compositor->clear_events();
  IceTCommunicator comm = context.communicator;
  const int bytes = static_cast<int>(own.size() * sizeof(Record));
  std::vector<int> counts(static_cast<std::size_t>(context.size));
  comm->Gather(comm, &bytes, 1, ICET_INT, counts.data(), 0);
  std::vector<int> offsets(counts.size());
  int sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    offsets[i] = sum;
    sum += counts[i];
  }
  std::vector<Record> all(static_cast<std::size_t>(sum) / sizeof(Record));
  comm->Gatherv(comm, own.data(), bytes, ICET_BYTE, all.data(), counts.data(), offsets.data(), 0);
  if (context.rank != 0) return;

  // All contexts of a program write to one file.
  static TraceFile file(environment("SORTLAST_TRACE"));
  file.add(all);
}

}  // namespace

bool wants_trace() { return environment("SORTLAST_TRACE") != nullptr; }

void report_frame(IceTContextStruct& context, double draw_begin, double draw_end) {
  if (context.rank == 0 && environment("SORTLAST_ICET_TIMING") != nullptr) print_times(context);
  if (wants_trace()) add_to_trace(context, draw_begin, draw_end);
}

}  // namespace sortlast::icet
