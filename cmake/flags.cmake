# sortlast_flags: what all our own code is compiled with. Contraction is off so that a blend gives the same bits
# with and without fused multiply-add hardware.
add_library(sortlast_flags INTERFACE)
target_compile_options(sortlast_flags INTERFACE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in "literal" + std::string (GCC bug 105651).
  target_compile_options(sortlast_flags INTERFACE -Wno-restrict)
endif()
if(SORTLAST_WERROR)
  target_compile_options(sortlast_flags INTERFACE -Werror)
endif()
if(SORTLAST_SANITIZE)
  target_compile_options(sortlast_flags INTERFACE -fsanitize=${SORTLAST_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer)
  target_link_options(sortlast_flags INTERFACE -fsanitize=${SORTLAST_SANITIZE})
endif()
