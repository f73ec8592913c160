# The MPIs to build for, each of another family, mpich or openmpi: `families`, and of each sortlast_mpi_library_<family>.
# The first, in `family`, is that of the C and C++ libraries and of the tests; Python modules are made for all.
include(cmake/sortlast-mpi-family.cmake)
set(families)

# A Python package is built for the MPI of its own environment rather than for one elsewhere on the PATH.
if(SKBUILD AND NOT MPI_HOME AND NOT DEFINED ENV{MPI_HOME})
  cmake_path(GET Python_EXECUTABLE PARENT_PATH beside)
  if(EXISTS ${beside}/mpicc)
    cmake_path(GET beside PARENT_PATH MPI_HOME)
  endif()
endif()

# Add the MPI that find_package(MPI) has found in front of the others.
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
  list(PREPEND families ${family})

  # Without the run path that MPI::MPI_C would bring along.
  add_library(sortlast_mpi_library_${family} INTERFACE)
  target_include_directories(sortlast_mpi_library_${family} SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
  target_compile_definitions(sortlast_mpi_library_${family} INTERFACE ${MPI_C_COMPILE_DEFINITIONS} OMPI_SKIP_MPICXX
                                                                      MPICH_SKIP_MPICXX)
  target_link_libraries(sortlast_mpi_library_${family} INTERFACE ${MPI_C_LIBRARIES})
endmacro()

if(SORTLAST_MPI_HOMES)
  # find_package keeps what it has found, so each one is looked for anew; the first comes last, and is what stays.
  set(homes ${SORTLAST_MPI_HOMES})
  list(REVERSE homes)
  foreach(home IN LISTS homes)
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
