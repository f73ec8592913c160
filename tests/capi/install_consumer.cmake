# Installs the build BUILD into a prefix below WORK, builds EXAMPLES against it with find_package(sortlast),
# and runs those that composite on 4 ranks. Further variables: GENERATOR, C_COMPILER, CXX_COMPILER, MPI_C_COMPILER and MPIEXEC
# (a list: the launcher and its option for the number of ranks).
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Start from nothing, so that a file that is no longer installed is missed.
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component development)

run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER}
    -DMPI_C_COMPILER=${MPI_C_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)

# Both examples draw the same picture.
foreach(example IN ITEMS composite_c composite_cpp)
  file(MAKE_DIRECTORY ${WORK}/${example})
  execute_process(COMMAND ${MPIEXEC} 4 ${WORK}/build/${example} WORKING_DIRECTORY ${WORK}/${example}
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  file(SIZE ${WORK}/${example}/discs.ppm bytes)
  if(NOT bytes EQUAL 921615)  # 15 of the header, 640 * 480 * 3
    message(FATAL_ERROR "${example} wrote ${bytes} bytes; expected 921615")
  endif()
endforeach()
run(${CMAKE_COMMAND} -E compare_files ${WORK}/composite_c/discs.ppm ${WORK}/composite_cpp/discs.ppm)

# The fabric needs no MPI; its routing order is free of contention.
execute_process(COMMAND ${WORK}/build/fabric_cpp OUTPUT_VARIABLE orders COMMAND_ERROR_IS_FATAL ANY)
if(NOT orders MATCHES "routing order: at most 1 flows on a link")
  message(FATAL_ERROR "fabric_cpp said: ${orders}")
endif()
