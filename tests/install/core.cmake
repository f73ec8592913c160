# The component core of an installed sortlast builds and runs where there is no MPI: CMake may not look for one, none
# lies on the search path, and no file that core needs names it.
include(${ENVIRONMENT})
install_into_prefix(${COMPONENT})
set(ENV{PATH} /usr/bin:/bin)
set(ENV{MPI_HOME})
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/core -B ${WORK}/build ${tools} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DEXAMPLES=${SOURCE}/examples)
run(${CMAKE_COMMAND} --build ${WORK}/build)
check_fabric(${WORK}/build/fabric)
run(${WORK}/build/errors)

# Nothing of MPI in the library, nor in what tells CMake of it.
execute_process(COMMAND ldd ${WORK}/build/fabric OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE package ${WORK}/prefix/*/sortlast-core-targets*.cmake ${WORK}/prefix/*/sortlast.pc)
list(LENGTH package files)
if(files LESS 3)
  message(FATAL_ERROR "expected two files of targets and one of pkg-config, found ${package}")
endif()
foreach(file IN LISTS package)
  file(READ ${file} text)
  string(APPEND libraries ${text})
endforeach()
if(libraries MATCHES "libmpi|MPI::|mpi[.]h")
  message(FATAL_ERROR "core needs ${CMAKE_MATCH_0}: ${libraries}")
endif()
