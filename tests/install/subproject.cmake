# As a part of another project, sortlast changes none of its settings, whether it has chosen a build type or none.
include(${ENVIRONMENT})
file(REMOVE_RECURSE ${WORK})
set(mpi -DSORTLAST_BUILD_MPI=OFF)
if(FAMILIES)
  list(GET FAMILIES 0 family)
  set(mpi -DMPI_C_COMPILER=${MPICC_${family}})
endif()
foreach(type IN ITEMS "" MinSizeRel)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -B ${WORK}/build ${tools} -DSORTLAST=${SOURCE}
      ${mpi} -DCMAKE_CXX_FLAGS=-DOF_PARENT -DCMAKE_BUILD_TYPE=${type} -DEXPECTED_TYPE=${type})
endforeach()

# The parent's own target is compiled with its own flags alone, and the library with those and ours.
file(READ ${WORK}/build/compile_commands.json commands)
if(NOT commands MATCHES "\"command\": \"[^ \"]+ +-DOF_PARENT -Os -DNDEBUG -std=gnu[+][+]14 -o CMakeFiles/alone")
  message(FATAL_ERROR "the parent's own target is compiled otherwise than it asked for: ${commands}")
endif()
