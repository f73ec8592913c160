# What is installed: libraries, public headers, and the files that find_package and pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# sortlast_install_libraries(SUFFIX COMPONENT [EXCLUDE_FROM_ALL]): with headers, package and pkg-config files.
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/sortlast)
function(sortlast_install_libraries suffix)
  set(component COMPONENT ${ARGN})
  foreach(name IN ITEMS core ${families})
    set(target sortlast_core${suffix})
    set(pkg_config sortlast)
    if(NOT name STREQUAL core)
      set(target sortlast_mpi_${name}${suffix})
      set(pkg_config sortlast-${name})
    endif()
    install(TARGETS ${target} EXPORT ${target}_targets
            ARCHIVE ${component} LIBRARY ${component} FILE_SET HEADERS ${component})
    install(EXPORT ${target}_targets NAMESPACE sortlast:: FILE sortlast-${name}-targets.cmake
            DESTINATION ${package_folder} ${component})
    sortlast_pkg_config(${pkg_config} ${name} ${target} ${component})
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/sortlast-config.cmake ${PROJECT_BINARY_DIR}/sortlast-config-version.cmake
                ${PROJECT_SOURCE_DIR}/cmake/sortlast-mpi-family.cmake
          DESTINATION ${package_folder} ${component})
endfunction()

# sortlast_pkg_config(NAME LIBRARY TARGET COMPONENT...): NAME.pc of LIBRARY, core or a family, which finds its prefix
# from where it lies; but folders that were given as absolute paths are what they are.
function(sortlast_pkg_config name library target)
  set(includedir \${prefix})
  set(libdir \${prefix})
  cmake_path(APPEND includedir ${CMAKE_INSTALL_INCLUDEDIR})
  cmake_path(APPEND libdir ${CMAKE_INSTALL_LIBDIR})
  set(prefix ${CMAKE_INSTALL_PREFIX})
  if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(prefix \${pcfiledir}/${up})
  endif()
  set(requires)
  set(cflags)
  set(description "${PROJECT_DESCRIPTION}: all that needs no MPI")
  if(NOT library STREQUAL core)
    set(requires sortlast)
    set(cflags " -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX")
    set(description "${PROJECT_DESCRIPTION}: the compositor. Compile with the mpicc or mpicxx of ${library}")
  endif()
  # A program in C names what a static library in C++ needs.
  get_target_property(type ${target} TYPE)
  set(libraries)
  if(type STREQUAL STATIC_LIBRARY)
    set(libraries ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
    list(REMOVE_ITEM libraries ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
    list(TRANSFORM libraries REPLACE "^[^-/].*" "-l\\0")  # others are options and full paths
    list(JOIN libraries " " libraries)
    string(PREPEND libraries " ")
    string(APPEND libraries " -pthread")
    foreach(library IN LISTS CMAKE_DL_LIBS)
      string(APPEND libraries " -l${library}")
    endforeach()
  endif()
  get_target_property(output ${target} OUTPUT_NAME)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sortlast.pc.in ${target}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}.pc RENAME ${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${ARGN})
endfunction()

if(SORTLAST_INSTALL)
  configure_package_config_file(cmake/sortlast-config.cmake.in sortlast-config.cmake
                                INSTALL_DESTINATION ${package_folder})
  write_basic_package_version_file(sortlast-config-version.cmake COMPATIBILITY SameMinorVersion)
  # The component `development` stays out of a Python package, but can be installed from that build too.
  if(SKBUILD)
    sortlast_install_libraries("" development EXCLUDE_FROM_ALL)
  else()
    sortlast_install_libraries("" development)
  endif()
endif()
