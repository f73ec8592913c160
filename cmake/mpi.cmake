# The MPI to build for: sortlast_mpi_library, and in `family` what it is: mpich or openmpi.
find_package(MPI REQUIRED COMPONENTS C)

# Without the run path that MPI::MPI_C would bring along.
add_library(sortlast_mpi_library INTERFACE)
target_include_directories(sortlast_mpi_library SYSTEM INTERFACE ${MPI_C_INCLUDE_DIRS})
target_compile_definitions(sortlast_mpi_library INTERFACE ${MPI_C_COMPILE_DEFINITIONS} OMPI_SKIP_MPICXX
                                                          MPICH_SKIP_MPICXX)
target_link_libraries(sortlast_mpi_library INTERFACE ${MPI_C_LIBRARIES})

include(cmake/sortlast-mpi-family.cmake)
sortlast_find_mpi_family(family)
if(NOT family)
  message(FATAL_ERROR
    "The MPI in ${MPI_C_INCLUDE_DIRS} is neither of MPICH's family (MPICH, Intel MPI, MVAPICH, Cray MPICH) nor Open "
    "MPI. Set MPI_HOME to one of these, or SORTLAST_BUILD_MPI to OFF for sortlast::core alone.")
endif()
