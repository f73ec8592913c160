#include "report.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <sstream>
#include <string>

#include "meeting.hpp"

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

// The activity of drawing, in addition to the compositor's activities.
constexpr int drawing = -1;

// An event as sent to rank 0.
struct Record {
  std::int32_t activity = drawing;
  std::int32_t peer = -1;
  std::int32_t stage = -1;
  std::int32_t rank = 0;     // of the context
  std::int32_t process = 0;  // rank in MPI_COMM_WORLD
  double begin = 0;
  double end = 0;
  std::int64_t bytes = 0;
};

// The file: a list of events that is complete after every frame, however the program ends. Each frame adds
// its events with one write over the end of the list.
class TraceFile {
 public:
  explicit TraceFile(const std::string& path)
      : file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666)) {
    if (file_ < 0) raise_warning(ICET_INVALID_VALUE, "SORTLAST_TRACE: " + path + " cannot be written");
    seekable_ = file_ >= 0 && lseek(file_, 0, SEEK_SET) == 0;
    put("[\n", "\n]\n");
  }
  ~TraceFile() {
    if (file_ >= 0) close(file_);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void add(const IceTContextStruct& context, const std::vector<Record>& records) {
    if (zero_ < 0 && !records.empty()) zero_ = records.front().begin;
    std::vector<std::int32_t> processes(static_cast<std::size_t>(context.size));
    for (const Record& record : records) processes[static_cast<std::size_t>(record.rank)] = record.process;
    std::ostringstream events;
    events << std::fixed << std::setprecision(3);
    for (const Record& record : records) {
      const auto begin_event = [&](const char* phase, double when) {
        const std::string_view name =
            record.activity == drawing ? "draw" : activity_name(static_cast<Activity>(record.activity));
        events << (any_ ? ",\n" : "") << "{\"name\":\"" << name << "\",\"ph\":\"" << phase
               << "\",\"pid\":" << record.process << ",\"tid\":" << context.number
               << ",\"ts\":" << 1e6 * (when - zero_) << ",\"args\":{\"frame\":" << context.frame.count
               << ",\"peer\":" << (record.peer < 0 ? -1 : processes[static_cast<std::size_t>(record.peer)])
               << ",\"stage\":" << record.stage << ",\"bytes\":" << record.bytes << "}";
        any_ = true;
      };
      const bool message = record.activity == static_cast<int>(Activity::send) ||
                           record.activity == static_cast<int>(Activity::receive);
      if (!message) {
        begin_event("X", record.begin);
        events << ",\"dur\":" << 1e6 * std::max(0.0, record.end - record.begin) << "}";
        continue;
      }
      // Messages overlap, which slices of one track must not do.
      for (const bool end : {false, true}) {
        begin_event(end ? "e" : "b", end ? record.end : record.begin);
        events << ",\"cat\":\"message\",\"id\":" << number_ << "}";
      }
      ++number_;
    }
    put(events.str(), "\n]\n");
  }

 private:
  // Write over the end of the list. A pipe, which cannot be overwritten, gets no end.
  void put(const std::string& events, const std::string& end) {
    const std::string text = seekable_ ? events + end : events;
    for (std::size_t done = 0; file_ >= 0 && done < text.size();) {
      const ssize_t written =
          seekable_ ? pwrite(file_, text.data() + done, text.size() - done, size_ + static_cast<off_t>(done))
                    : write(file_, text.data() + done, text.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        raise_warning(ICET_INVALID_VALUE, std::string("SORTLAST_TRACE: ") + std::strerror(errno) +
                                              "; no further events are written");
        if (seekable_ && (ftruncate(file_, size_) != 0 || pwrite(file_, end.data(), end.size(), size_) < 0))
          raise_warning(ICET_INVALID_VALUE, "SORTLAST_TRACE: the list of events has no end");
        close(file_);
        file_ = -1;
        return;
      }
      done += static_cast<std::size_t>(written);
    }
    size_ += static_cast<off_t>(events.size());
  }

  int file_;
  bool seekable_ = false;
  off_t size_ = 0;  // without the end of the list
  bool any_ = false;
  double zero_ = -1;
  std::int64_t number_ = 0;
};

// This process's file, for all its contexts: the requested one, or FILE.3 for contexts with rank 3 of
// MPI_COMM_WORLD as their rank 0.
TraceFile& trace_file(int process) {
  static TraceFile file(environment("SORTLAST_TRACE") +
                        (process == 0 ? std::string() : "." + std::to_string(process)));
  return file;
}

void add_to_trace(IceTContextStruct& context, double draw_begin, double draw_end) {
  // Send the events to rank 0.
  int process = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  std::vector<Record> own(1);
  own[0] = {drawing, -1, -1, context.rank, process, draw_begin, draw_end, 0};
  for (const Event& event : context.compositor->events()) {
    own.push_back({static_cast<std::int32_t>(event.activity), event.peer, event.stage, context.rank, process,
                   event.begin, event.end, event.bytes});
  }
  context.compositor->clear_events();
  const std::vector<std::byte> bytes =
      Access::gather_bytes(*context.compositor, "frame", std::as_bytes(std::span(own)));
  if (context.rank != 0) return;
  std::vector<Record> all(bytes.size() / sizeof(Record));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  trace_file(process).add(context, all);
}

}  // namespace

bool wants_trace() { return environment("SORTLAST_TRACE") != nullptr; }

void report_frame(IceTContextStruct& context, double draw_begin, double draw_end) {
  if (context.rank == 0 && environment("SORTLAST_ICET_TIMING") != nullptr) print_times(context);
  if (wants_trace()) add_to_trace(context, draw_begin, draw_end);
}

}  // namespace sortlast::icet
