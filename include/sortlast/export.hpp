// Export: what a shared library of sortlast lets others see. Everything else is hidden.
#pragma once

// Stands before every public class and function that is not inline.
#define SORTLAST_API __attribute__((visibility("default")))
