// What the library throws a program can catch, as the class that it is and as the base of all.
#include <cstdio>
#include <sortlast/error.hpp>
#include <sortlast/schedule.hpp>

int main() {
  int caught = 0;
  for (const char* name : {"no such algorithm", "radix-k:4,3"}) {
    try {
      sortlast::make_schedule(name, {.p = 5, .n = 1});
    } catch (const sortlast::MismatchError&) {
      std::printf("%s: caught as what it is not\n", name);
    } catch (const sortlast::ArgumentError&) {
      ++caught;
    }
    try {
      sortlast::make_schedule(name, {.p = 5, .n = 1});
    } catch (const sortlast::Error&) {
      ++caught;
    }
  }
  return caught == 4 ? 0 : 1;
}
