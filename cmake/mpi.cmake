# The MPIs to build for, each of another family, mpich or openmpi: the list `families`, the first of which is
# `first_family`, and of each
#
#   sortlast_mpi_library_<family>   what a target links that includes mpi.h
#   sortlast_mpicc_<family>         its compiler for C
#   sortlast_mpiexec_<family>       its mpiexec, and the option that the number of ranks follows
include(cmake/sortlast-mpi-family.cmake)

# A Python package is built for the MPI of its own environment rather than for one elsewhere on the PATH.
if(SKBUILD AND NOT MPI_HOME AND NOT DEFINED ENV{MPI_HOME})
  cmake_path(GET Python_EXECUTABLE PARENT_PATH beside)
  if(EXISTS ${beside}/mpicc)
    cmake_path(GET beside PARENT_PATH MPI_HOME)
  endif()
endif()

# Add the MPI that find_package(MPI) has found.
macro(sortlast_add_mpi)
  sortlast_find_mpi_family(family)
  if(NOT family)
    message(FATAL_ERROR
      "The MPI in ${MPI_C_INCLUDE_DIRS} is neither of MPICH's family (MPICH, Intel MPI, MVAPICH, Cray MPICH) nor Open "
      "MPI. Set MPI_HOME to one of these, or SORTLAST_BUILD_MPI to OFF for sortlast::core alone.")
  endif()
  if(family IN_LIST families)
    message(FATAL_ERROR "SORTLAST_MPI_HOMES=${SORTLAST_MPI_HOMES}: two of these MPIs are of the family ${family}")
  endif()
  list(APPEND families ${family})

  # Without the run path that MPI::MPI_C would bring along.
  add_library(sortlast_mpi_library_${family} INTERFACE)
  target_include_directories(sortlast_mpi_library_${family} SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
  target_compile_definitions(sortlast_mpi_library_${family} INTERFACE ${MPI_C_COMPILE_DEFINITIONS} OMPI_SKIP_MPICXX
                                                                      MPICH_SKIP_MPICXX)
  target_link_libraries(sortlast_mpi_library_${family} INTERFACE ${MPI_C_LIBRARIES})
  set(sortlast_mpicc_${family} ${MPI_C_COMPILER})
  set(sortlast_mpiexec_${family} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG})
endmacro()

if(SORTLAST_MPI_HOMES)
  # find_package keeps what it has found, so each one is looked for anew.
  foreach(home IN LISTS SORTLAST_MPI_HOMES)
    get_cmake_property(kept CACHE_VARIABLES)
    list(FILTER kept INCLUDE REGEX "^(MPI_|MPIEXEC_)")
    foreach(variable IN LISTS kept)
      unset(${variable} CACHE)
    endforeach()
    set(MPI_C_COMPILER ${home}/bin/mpicc CACHE FILEPATH "")
    set(MPIEXEC_EXECUTABLE ${home}/bin/mpiexec CACHE FILEPATH "")
    find_package(MPI REQUIRED COMPONENTS C)
    sortlast_add_mpi()
  endforeach()
elseif(SORTLAST_BUILD_MPI STREQUAL "AUTO")
  find_package(MPI COMPONENTS C)
  if(MPI_C_FOUND)
    sortlast_add_mpi()
  else()
    message(STATUS "No MPI: the compositor is left out. Put mpicc on the PATH, or set MPI_HOME, to have it.")
    set(SORTLAST_BUILD_MPI OFF)
  endif()
else()
  find_package(MPI REQUIRED COMPONENTS C)
  sortlast_add_mpi()
endif()
if(families)
  list(GET families 0 first_family)
endif()

# sortlast_list_once(TARGET FAMILY): a source that is compiled for each family stands in compile_commands.json only with
# the first, so that clang-tidy and editors read it once.
function(sortlast_list_once target family)
  if(NOT family STREQUAL first_family)
    set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
  endif()
endfunction()
