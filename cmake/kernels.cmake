# Blend kernels, compiled once for each instruction set; image/kernel_dispatch.cpp chooses at run time.
include(CheckCXXCompilerFlag)

# Add the kernels in namespace `target`, compiled with the further arguments, to the compositing part, and their
# objects to the list `sortlast_kernels`.
# Vectors as wide as the machine's need full optimisation to stay in registers; the flags about traps and
# errno change no value.
function(sortlast_add_kernels target)
  add_library(sortlast_kernels_${target} OBJECT ${PROJECT_SOURCE_DIR}/src/sortlast/image/kernels/kernels.cpp)
  target_include_directories(sortlast_kernels_${target} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(sortlast_kernels_${target} PRIVATE SORTLAST_TARGET=${target})
  target_compile_options(sortlast_kernels_${target} PRIVATE
    ${ARGN} -fno-trapping-math -fno-math-errno $<$<NOT:$<CONFIG:Debug>>:-O3>)
  target_link_libraries(sortlast_kernels_${target} PRIVATE sortlast_flags)
  target_sources(sortlast_part_compositing PRIVATE $<TARGET_OBJECTS:sortlast_kernels_${target}>)
  list(APPEND sortlast_kernels sortlast_kernels_${target})
  set(sortlast_kernels ${sortlast_kernels} PARENT_SCOPE)
endfunction()

sortlast_add_kernels(baseline)

check_cxx_compiler_flag(-march=x86-64-v4 SORTLAST_HAVE_X86_64_V4)
if(SORTLAST_HAVE_X86_64_V4)
  sortlast_add_kernels(x86_64_v3 -march=x86-64-v3)
  sortlast_add_kernels(x86_64_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  target_compile_definitions(sortlast_part_compositing PRIVATE SORTLAST_X86_64_LEVELS)
endif()
