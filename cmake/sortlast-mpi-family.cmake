# The families of MPI libraries differ in their binary interface, so there is a library of sortlast for each.

# Set `result` to the family of the MPI that find_package(MPI) has found: mpich, openmpi, or "" for another.
function(sortlast_find_mpi_family result)
  set(language C)
  if(NOT MPI_C_FOUND)
    set(language CXX)
  endif()
  include(CheckSourceCompiles)
  set(CMAKE_REQUIRED_QUIET ON)
  # Compile only: in C++ a program that includes mpi.h may need the MPI to link, for its C++ bindings.
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_REQUIRED_INCLUDES ${MPI_${language}_INCLUDE_DIRS})
  # Remembered for this MPI alone: the user may choose another in the same build folder.
  string(SHA1 place "${CMAKE_REQUIRED_INCLUDES}")
  set(${result} "" PARENT_SCOPE)
  foreach(pair IN ITEMS mpich=MPICH_VERSION openmpi=OPEN_MPI)
    string(REGEX MATCH "(.*)=(.*)" pair ${pair})
    check_source_compiles(${language} "#include <mpi.h>
#ifndef ${CMAKE_MATCH_2}
#error another family
#endif
int main(void) { return 0; }" SORTLAST_MPI_IS_${CMAKE_MATCH_1}_${place})
    if(SORTLAST_MPI_IS_${CMAKE_MATCH_1}_${place})
      set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
