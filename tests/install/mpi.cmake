# Both components of an installed sortlast, for the MPI of FAMILY, build the examples by find_package; those that
# composite run on 4 ranks. A family that is not installed is refused with a message that says what to do.
include(${ENVIRONMENT})
install_into_prefix(${COMPONENT})
set(configure ${CMAKE_COMMAND} -S ${SOURCE}/examples ${tools} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${WORK}/prefix
              -DMPI_C_COMPILER=${MPICC_${FAMILY}})
run(${configure} -B ${WORK}/build)
run(${CMAKE_COMMAND} --build ${WORK}/build)
check_fabric(${WORK}/build/fabric_cpp)
check_composite(${FAMILY} ${WORK}/build/composite_c ${WORK}/c.ppm)
check_composite(${FAMILY} ${WORK}/build/composite_cpp ${WORK}/cpp.ppm)
run(${CMAKE_COMMAND} -E compare_files ${WORK}/c.ppm ${WORK}/cpp.ppm)

# As if the prefix held the library of the other family alone.
set(other mpich)
if(FAMILY STREQUAL mpich)
  set(other openmpi)
endif()
file(GLOB targets ${WORK}/prefix/lib*/cmake/sortlast/sortlast-${FAMILY}-targets.cmake)
cmake_path(REPLACE_FILENAME targets sortlast-${other}-targets.cmake OUTPUT_VARIABLE renamed)
file(RENAME ${targets} ${renamed})
execute_process(COMMAND ${configure} -B ${WORK}/refused RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
string(REGEX REPLACE "[ \n]+" " " said "${said}")
if(status EQUAL 0 OR NOT said MATCHES "is of the family ${FAMILY}, but this sortlast was built for ${other}[.] Choose another MPI")
  message(FATAL_ERROR "with an MPI of another family find_package ended with ${status} and said: ${said}")
endif()
