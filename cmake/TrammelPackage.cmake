# SPDX-License-Identifier: Apache-2.0
# Debian packages by CPack (`./dev package`): trammel (program and shared libraries), trammel-dev, python3-trammel.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME trammel)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the Trammel developers")
set(CPACK_PACKAGE_CONTACT "the Trammel developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
if(TRAMMEL_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME trammel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# PNG figures need them while the program runs, and nothing else does.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "librsvg2-2, fonts-dejavu-core")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "simulation of constrained mechanical systems
 Machines of rigid and flexible bodies, joined, driven, under forces: described in a text file, simulated by one
 command, shown in a browser.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME trammel-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "trammel (= ${PROJECT_VERSION}), libeigen3-dev, libfmt-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "headers of Trammel
 What programs in C++ that simulate machines with Trammel are built with: headers, CMake's and pkg-config's files.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-trammel)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "trammel (= ${PROJECT_VERSION}), python3, python3-numpy")
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "Trammel in Python
 Models, runs, results as arrays, laws as functions.")
include(CPack)
