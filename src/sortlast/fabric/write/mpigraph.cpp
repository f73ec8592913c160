// LLNL's mpiGraph: its table of send bandwidths, which its crunch_mpiGraph draws. Cells end with a tab. The
// average is that over times, as mpiGraph's: the harmonic mean. Source: mpiGraph.c, mpiGraph().
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sortlast/error.hpp"
#include "sortlast/fabric/write/write.hpp"

namespace sortlast::fabric {

namespace {

void check(const std::vector<std::string>& names, const std::vector<double>& matrix) {
  if (matrix.size() != names.size() * names.size()) {
    throw ArgumentError("a matrix of " + std::to_string(matrix.size()) + " bandwidths for " +
                        std::to_string(names.size()) + " names; expected " +
                        std::to_string(names.size() * names.size()));
  }
  for (const double value : matrix) {
    if (!std::isfinite(value) || value < 0) {
      throw ArgumentError("a bandwidth of " + std::to_string(value) + " MB/s; expected 0 or more");
    }
  }
  for (const std::string& name : names) {
    if (name.find_first_of("\t\r\n") != std::string::npos) {
      throw ArgumentError("the name '" + name + "' holds a tab or a line's end; the table cannot");
    }
  }
}

std::string number(double value, int digits) {
  char text[352];  // as long as the longest double
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

}  // namespace

std::string write_mpigraph(const std::vector<std::string>& names, const std::vector<double>& matrix) {
  check(names, matrix);
  const std::size_t p = names.size();
  const auto label = [&names](std::size_t rank) { return names[rank] + ":" + std::to_string(rank); };

  // Figures over all pairs.
  double most = 0, seconds = 0;
  for (std::size_t i = 0; i < p * p; ++i) {
    if (i % (p + 1) == 0) continue;
    most = std::max(most, matrix[i]);
    seconds += 1 / matrix[i];
  }
  const double average = p > 1 ? static_cast<double>(p * (p - 1)) / seconds : 0;
  std::string text = "Send max\t" + number(most, 6) + "\nSend avg\t" + number(average, 6) + "\n\nSend\t";

  // The table.
  for (std::size_t to = 0; to < p; ++to) text += label(to) + "\t";
  text += '\n';
  for (std::size_t from = 0; from < p; ++from) {
    text += label(from) + " to\t";
    for (std::size_t to = 0; to < p; ++to) {
      text += number(from == to ? 0.0 : matrix[from * p + to], 3) + "\t";
    }
    text += '\n';
  }
  return text;
}

}  // namespace sortlast::fabric
