// LLNL's mpiGraph: its tables of bandwidths, which its crunch_mpiGraph draws. One table shows what each row
// sends to each column, the other what it receives from there: the same matrix, transposed. Cells end with a
// tab. Its avg is the harmonic mean, which is the mean over times. Source: mpiGraph.c.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "sortlast/error.hpp"
#include "sortlast/fabric/files.hpp"

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
  char text[352];  // long enough for any double
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// Bandwidths between all pairs, in one direction.
struct Bandwidths {
  const std::vector<std::string>& names;
  const std::vector<double>& matrix;

  std::size_t p() const { return names.size(); }
  double at(std::size_t from, std::size_t to) const { return from == to ? 0 : matrix[from * p() + to]; }
};

std::string figures(const Bandwidths& bandwidths, const std::string& title) {
  const std::size_t p = bandwidths.p();
  double most = 0, seconds = 0;
  for (std::size_t from = 0; from < p; ++from) {
    for (std::size_t to = 0; to < p; ++to) {
      if (from == to) continue;
      most = std::max(most, bandwidths.at(from, to));
      seconds += 1 / bandwidths.at(from, to);
    }
  }
  const double harmonic_mean = p > 1 ? static_cast<double>(p * (p - 1)) / seconds : 0;
  return title + " max\t" + number(most, 6) + "\n" + title + " avg\t" + number(harmonic_mean, 6) + "\n\n";
}

std::string table(const Bandwidths& bandwidths, const std::string& title, bool sends) {
  const std::size_t p = bandwidths.p();
  const auto label = [&](std::size_t rank) { return bandwidths.names[rank] + ":" + std::to_string(rank); };
  std::string text = title + "\t";
  for (std::size_t column = 0; column < p; ++column) text += label(column) + "\t";
  text += '\n';
  for (std::size_t row = 0; row < p; ++row) {
    text += label(row) + (sends ? " to\t" : " from\t");
    for (std::size_t column = 0; column < p; ++column) {
      text += number(sends ? bandwidths.at(row, column) : bandwidths.at(column, row), 3) + "\t";
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string write_mpigraph(const std::vector<std::string>& names, const std::vector<double>& matrix) {
  check(names, matrix);
  const Bandwidths bandwidths{names, matrix};
  return figures(bandwidths, "Send") + table(bandwidths, "Send", true) + "\n" + figures(bandwidths, "Recv") +
         table(bandwidths, "Recv", false);
}

}  // namespace sortlast::fabric
