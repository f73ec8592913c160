// Export: marks the symbols that the shared libraries export. All others are hidden.
#pragma once

// Precedes every public class and every public function that is not inline.
#define SORTLAST_API __attribute__((visibility("default")))
