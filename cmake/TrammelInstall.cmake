# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs, in three components: runtime (program, shared libraries, documentation, examples),
# development (headers, static libraries, what finds them), python.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(TRAMMEL_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Trammel)

foreach(target ${libraries})
  # Eigen aligns by the instructions that a program is compiled for; ours, and so everybody's who links us, are the
  # common ones.
  target_compile_definitions(${target} INTERFACE $<INSTALL_INTERFACE:EIGEN_MAX_ALIGN_BYTES=16>)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(trammel_core PROPERTIES EXPORT_NAME core)

# Programs find our shared libraries beside them wherever the folder is moved; in /usr the system does.
if(BUILD_SHARED_LIBS AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  file(RELATIVE_PATH to_libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(${libraries} PROPERTIES INSTALL_RPATH $ORIGIN)
  if(TRAMMEL_PROGRAM)
    set_target_properties(trammel_program PROPERTIES INSTALL_RPATH $ORIGIN/${to_libraries})
  endif()
endif()

install(TARGETS ${libraries} EXPORT Trammel
        LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
        ARCHIVE COMPONENT development)
install(DIRECTORY include/trammel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
if(TRAMMEL_CORE_ONLY)
  # The header that includes everything includes results files, too.
  install(CODE "file(REMOVE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/trammel/trammel.h\")"
          COMPONENT development)
endif()

# find_package(Trammel 0.2): versions of one minor number fit each other.
install(EXPORT Trammel NAMESPACE Trammel:: FILE TrammelTargets.cmake DESTINATION ${TRAMMEL_PACKAGE_DIR} COMPONENT development)
set(package_files ${PROJECT_BINARY_DIR}/generated)
configure_package_config_file(cmake/TrammelConfig.cmake.in ${package_files}/TrammelConfig.cmake
                              INSTALL_DESTINATION ${TRAMMEL_PACKAGE_DIR})
write_basic_package_version_file(${package_files}/TrammelConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${package_files}/TrammelConfig.cmake ${package_files}/TrammelConfigVersion.cmake
              cmake/TrammelDependencies.cmake
        DESTINATION ${TRAMMEL_PACKAGE_DIR} COMPONENT development)

# trammel.pc and trammel_core.pc; who links static libraries links what they need, too.
file(RELATIVE_PATH to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" to_prefix ${to_prefix})
set(pc_private "")
foreach(library ${SUITESPARSE_LIBRARIES})
  get_filename_component(library ${library} NAME_WE)
  string(REGEX REPLACE "^lib" "-l" library ${library})
  string(APPEND pc_private " ${library}")
endforeach()
if(TRAMMEL_URDF)
  string(APPEND pc_private " -ltinyxml2")
endif()
if(TRAMMEL_MUMPS)
  string(APPEND pc_private " -ldmumps -lzmumps -lmumps_common -lmpi")
endif()
if(TRAMMEL_PETSC)
  string(APPEND pc_private " -lpetsc_real -lmpi")
endif()
function(trammel_pc name description requires libs)
  set(also "")
  if(NOT BUILD_SHARED_LIBS)
    set(libs "${libs}${pc_private} -lpthread -ldl")
    if(name STREQUAL trammel)
      set(also "${HDF5_MODULE_NAME} zlib")
    endif()
  endif()
  configure_file(cmake/trammel.pc.in ${package_files}/${name}.pc @ONLY)
  install(FILES ${package_files}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
trammel_pc(trammel_core "Simulation of constrained mechanical systems: models and runs" "eigen3 fmt" "-ltrammel_core")
if(NOT TRAMMEL_CORE_ONLY)
  trammel_pc(trammel "Simulation of constrained mechanical systems" "trammel_core" "-ltrammel")
endif()

# Documentation and examples, readable as they are.
install(FILES README.md CHANGELOG.md ARCHITECTURE.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg" PATTERN "*.gif" PATTERN "docs/site" EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/trammel COMPONENT runtime
        PATTERN "*.h5" EXCLUDE PATTERN "*.html" EXCLUDE PATTERN "__pycache__" EXCLUDE PATTERN "build*" EXCLUDE)

if(TRAMMEL_PROGRAM)
  install(TARGETS trammel_program RUNTIME COMPONENT runtime)
  # The program describes itself to shells and to the manual.
  set(texts ${PROJECT_BINARY_DIR}/generated/shell)
  file(MAKE_DIRECTORY ${texts})
  foreach(pair bash:trammel zsh:_trammel fish:trammel.fish man:trammel.1)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 format)
    list(GET pair 1 file)
    add_custom_command(OUTPUT ${texts}/${format}/${file}
                       COMMAND ${CMAKE_COMMAND} -E make_directory ${texts}/${format}
                       COMMAND $<TARGET_FILE:trammel_program> completion ${format} > ${texts}/${format}/${file}
                       DEPENDS trammel_program COMMENT "What ${format} knows of the program" VERBATIM)
    list(APPEND shell_files ${texts}/${format}/${file})
  endforeach()
  add_custom_target(trammel_shell_texts ALL DEPENDS ${shell_files})
  install(FILES ${texts}/bash/trammel DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
  install(FILES ${texts}/zsh/_trammel DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT runtime)
  install(FILES ${texts}/fish/trammel.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
  install(FILES ${texts}/man/trammel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
endif()

if(TRAMMEL_PYTHON AND NOT TRAMMEL_SANITIZE)
  # Where the interpreter looks below this prefix; Debian's own packages have a folder for all versions.
  set(site ${CMAKE_INSTALL_LIBDIR}/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(site lib/python3/dist-packages)
  endif()
  set(TRAMMEL_PYTHON_DIR ${site} CACHE STRING "Folder of the Python package below the prefix")
  if(BUILD_SHARED_LIBS AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    file(RELATIVE_PATH to_libraries /${TRAMMEL_PYTHON_DIR}/trammel /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(trammel_python PROPERTIES INSTALL_RPATH $ORIGIN/${to_libraries})
  endif()
  install(TARGETS trammel_python LIBRARY DESTINATION ${TRAMMEL_PYTHON_DIR}/trammel COMPONENT python)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/trammel DESTINATION ${TRAMMEL_PYTHON_DIR} COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
endif()

include(${CMAKE_CURRENT_LIST_DIR}/TrammelPackage.cmake)
