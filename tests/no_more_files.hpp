// A process that has no file descriptor left.
#pragma once

#include <sys/resource.h>

#include "sortlast/error.hpp"

namespace sortlast::testing {

// While it lives, no file can be opened.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    // The undefined-behaviour sanitizer opens a pipe when it sees a type of exceptions for the first time.
    try {
      throw Error("seen");
    } catch (const Error&) {
      getrlimit(RLIMIT_NOFILE, &before_);
    }
    const rlimit none{0, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace sortlast::testing
