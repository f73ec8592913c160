#include "strategy.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace sortlast::icet {
namespace {

const char* strategy_name(IceTEnum strategy) {
  switch (strategy) {
    case ICET_STRATEGY_DIRECT:
      return "Direct";
    case ICET_STRATEGY_SEQUENTIAL:
      return "Sequential";
    case ICET_STRATEGY_SPLIT:
      return "Split";
    case ICET_STRATEGY_REDUCE:
      return "Reduce";
    case ICET_STRATEGY_VTREE:
      return "Virtual Tree";
    default:
      return nullptr;
  }
}

const char* single_image_strategy_name(IceTEnum strategy) {
  switch (strategy) {
    case ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC:
      return "Automatic";
    case ICET_SINGLE_IMAGE_STRATEGY_BSWAP:
      return "Binary Swap";
    case ICET_SINGLE_IMAGE_STRATEGY_TREE:
      return "Binary Tree";
    case ICET_SINGLE_IMAGE_STRATEGY_RADIXK:
      return "Radix-k";
    case ICET_SINGLE_IMAGE_STRATEGY_RADIXKR:
      return "Radix-kr";
    case ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING:
      return "Folded Binary Swap";
    default:
      return nullptr;
  }
}

// An environment variable as a number of `minimum` or more; the default if it is unset or invalid.
int from_environment(const char* name, int minimum, int otherwise) {
  const char* text = std::getenv(name);
  if (text == nullptr) return otherwise;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text != '\0' && *end == '\0' && value >= minimum && value <= 1 << 20) return static_cast<int>(value);
  raise_error(ICET_INVALID_VALUE, std::string(name) + "=" + text +
                                      " in the environment; expected a number from " +
                                      std::to_string(minimum) + " on");
  return otherwise;
}

// "radix-k:8,8,2": as many rounds of k as divide p, and one for the remaining factor.
std::string radix(int p, int k) {
  std::string list;
  int left = p;
  while (left > 1) {
    const int factor = left > k && left % k == 0 ? k : left <= k ? left : 0;
    if (factor == 0) return "radix-k";  // default factors
    list += (list.empty() ? ":" : ",") + std::to_string(factor);
    left /= factor;
  }
  return "radix-k" + list;
}

}  // namespace

int magic_k() { return from_environment("ICET_MAGIC_K", 2, ICET_MAGIC_K_DEFAULT); }
int max_image_split() { return from_environment("ICET_MAX_IMAGE_SPLIT", 1, ICET_MAX_IMAGE_SPLIT_DEFAULT); }

std::string algorithm_of(const Settings& settings, int p) {
  // A path does not name an algorithm: the benchmarks use the same variable for the path of an installed
  // IceT.
  const char* named = std::getenv("SORTLAST_ICET");
  if (named != nullptr && *named != '\0' && std::strchr(named, '/') == nullptr) return named;
  if (settings.strategy == ICET_STRATEGY_DIRECT) return "direct-send";
  switch (settings.single_image_strategy) {
    case ICET_SINGLE_IMAGE_STRATEGY_BSWAP:
      return "binary-swap";
    case ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING:
      return "binary-swap:fold";
    case ICET_SINGLE_IMAGE_STRATEGY_RADIXK:
    case ICET_SINGLE_IMAGE_STRATEGY_RADIXKR:
      return radix(p, magic_k());
    default:
      return "auto";
  }
}

}  // namespace sortlast::icet

using namespace sortlast::icet;

void icetStrategy(IceTEnum strategy) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetStrategy");
    if (strategy_name(strategy) == nullptr) {
      throw Failure(ICET_INVALID_ENUM,
                    "icetStrategy: " + hexadecimal(strategy) +
                        " is no strategy; expected ICET_STRATEGY_DIRECT, _SEQUENTIAL, _SPLIT, "
                        "_REDUCE or _VTREE");
    }
    context.settings.strategy = strategy;
  });
}

const char* icetGetStrategyName() {
  return entry<const char*>(nullptr, [](IceTContextStruct& context) {
    const char* name = strategy_name(context.settings.strategy);
    if (name == nullptr) throw Failure(ICET_INVALID_ENUM, "no strategy is set; set one by icetStrategy()");
    return name;
  });
}

void icetSingleImageStrategy(IceTEnum strategy) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetSingleImageStrategy");
    if (single_image_strategy_name(strategy) == nullptr) {
      throw Failure(ICET_INVALID_ENUM,
                    "icetSingleImageStrategy: " + hexadecimal(strategy) +
                        " is no single-image strategy; expected one of "
                        "ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC, _BSWAP, _BSWAP_FOLDING, _TREE, "
                        "_RADIXK and _RADIXKR");
    }
    context.settings.single_image_strategy = strategy;
  });
}

const char* icetGetSingleImageStrategyName() {
  return entry<const char*>(nullptr, [](IceTContextStruct& context) {
    return single_image_strategy_name(context.settings.single_image_strategy);
  });
}
