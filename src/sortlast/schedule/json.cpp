// A schedule as JSON.
#include <sstream>

#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

template <typename Items, typename Write>
void write_list(std::ostream& out, const Items& items, Write write) {
  out << '[';
  const char* separator = "";
  for (const auto& item : items) {
    out << separator;
    write(item);
    separator = ", ";
  }
  out << ']';
}

void write_range(std::ostream& out, Range range) { out << '[' << range.begin << ", " << range.end << ']'; }

void write_program(std::ostream& out, const Program& program) {
  out << "{\"rank\": " << program.rank << ", \"values\": ";
  write_list(out, program.values, [&out](const Fragment& fragment) {
    out << "{\"pixels\": ";
    write_range(out, fragment.pixels);
    out << ", \"depth\": ";
    write_range(out, fragment.depth);
    out << '}';
  });
  out << ", \"sends\": ";
  write_list(out, program.sends, [&out](const Send& send) {
    out << "{\"stage\": " << send.stage << ", \"peer\": " << send.peer << ", \"value\": " << send.value
        << ", \"pixels\": ";
    write_range(out, send.pixels);
    out << '}';
  });
  out << ", \"receives\": ";
  write_list(out, program.receives, [&out](const Receive& receive) {
    out << "{\"stage\": " << receive.stage << ", \"peer\": " << receive.peer
        << ", \"value\": " << receive.value << '}';
  });
  out << ", \"merges\": ";
  write_list(out, program.merges, [&out](const Merge& merge) {
    out << "{\"value\": " << merge.value << ", \"pixels\": ";
    write_range(out, merge.pixels);
    out << ", \"inputs\": ";
    write_list(out, merge.inputs, [&out](const Merge::Input& input) {
      out << "{\"value\": " << input.value << ", \"front\": " << (input.front ? "true" : "false") << '}';
    });
    out << '}';
  });
  out << ", \"result\": " << program.result << '}';
}

}  // namespace

std::string Schedule::to_json() const {
  std::ostringstream out;
  const auto write_rank = [&out](std::int32_t rank) { out << rank; };
  out << "{\"algorithm\": \"" << name() << "\", \"p\": " << p() << ", \"n\": " << n()
      << ", \"stages\": " << stages() << ", \"order\": ";
  write_list(out, setting_.order, write_rank);
  out << ", \"ring\": ";
  write_list(out, setting_.ring, write_rank);
  out << ", \"nodes\": ";
  write_list(out, setting_.nodes, write_rank);
  out << ", \"programs\": [";
  for (std::int32_t rank = 0; rank < p(); ++rank) {
    out << (rank == 0 ? "\n" : ",\n");
    write_program(out, program(rank));
  }
  out << "\n]}\n";
  return out.str();
}

}  // namespace sortlast
