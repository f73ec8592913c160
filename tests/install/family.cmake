# The family of an MPI is found in a project without C, also if mpi.h brings C++ bindings that only link with the MPI.
include(${ENVIRONMENT})
file(REMOVE_RECURSE ${WORK})
foreach(pair IN ITEMS mpich=MPICH_VERSION openmpi=OPEN_MPI =OTHER_MPI)
  string(REGEX MATCH "(.*)=(.*)" pair ${pair})
  set(expected "${CMAKE_MATCH_1}")
  set(headers ${WORK}/${CMAKE_MATCH_2})
  file(WRITE ${headers}/mpi.h "#define ${CMAKE_MATCH_2} 1\nint of_the_mpi();\nstatic const int binding = of_the_mpi();\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/family -B ${WORK}/build ${tools}
                          -DSORTLAST=${SOURCE} -DMPI_CXX_INCLUDE_DIRS=${headers}
                  OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said MATCHES "family: '${expected}'")
    message(FATAL_ERROR "${headers}/mpi.h is of the family '${expected}', but the project said: ${said}")
  endif()
endforeach()
