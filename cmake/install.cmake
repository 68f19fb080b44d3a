# The build folder has the shape of an installation (bin, lib, include), so that kz finds what belongs to
# it from its own place in both; and `make install`, with a pkg-config file. All but libkz is the component kz,
# which tools/bundle installs.
set(CMAKE_INSTALL_LIBDIR lib) # one layout on every distribution: kz.pc relies on it
include(GNUInstallDirs)

file(GLOB public_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/kz/*.*)
file(GLOB device_headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/kz/device/*.*) # for kernels, kz/device/<header>
file(GLOB folders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/kernels/*/*)
set(operation_headers) # kernels/<group>/<family>/<family>.h, for callers kz/ops/<family>.h
foreach(folder ${folders})
    get_filename_component(family ${folder} NAME)
    if(EXISTS ${folder}/${family}.h)
        list(APPEND operation_headers ${folder}/${family}.h)
    endif()
endforeach()

function(copy_headers to)
    foreach(header ${ARGN})
        get_filename_component(name ${header} NAME)
        add_custom_command(OUTPUT ${to}/${name} COMMAND ${CMAKE_COMMAND} -E copy ${header} ${to}/${name}
                           DEPENDS ${header} COMMENT "" VERBATIM)
        list(APPEND copies ${to}/${name})
    endforeach()
    set(copies ${copies} PARENT_SCOPE)
endfunction()
set(copies)
copy_headers(${CMAKE_BINARY_DIR}/include/kz ${public_headers})
copy_headers(${CMAKE_BINARY_DIR}/include/kz/device ${device_headers})
copy_headers(${CMAKE_BINARY_DIR}/include/kz/ops ${operation_headers})
add_custom_target(headers ALL DEPENDS ${copies})
add_dependencies(kz headers)

# The manual: kz writes it, from the tables of its help pages.
set(manual ${CMAKE_BINARY_DIR}/share/man/man1)
add_custom_command(OUTPUT ${manual}/kz.1 COMMAND kz help --man ${manual} DEPENDS kz COMMENT "manual pages" VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/kz.1)
install(DIRECTORY ${manual} DESTINATION share/man FILES_MATCHING PATTERN "*.1")

configure_file(${CMAKE_SOURCE_DIR}/cmake/kz.pc.in ${CMAKE_BINARY_DIR}/kz.pc @ONLY)

install(TARGETS kz RUNTIME)
install(TARGETS libkz_static libkz_shared ARCHIVE COMPONENT library LIBRARY COMPONENT library)
file(GLOB peers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/peers/*/peer.c*) # a folder each
foreach(peer ${peers}) # only those that were built
    get_filename_component(peer ${peer} DIRECTORY)
    get_filename_component(peer ${peer} NAME)
    install(FILES ${CMAKE_BINARY_DIR}/lib/libkz_peer_${peer}.so DESTINATION lib OPTIONAL)
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/lib/libkz_runner.so DESTINATION lib OPTIONAL)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/peers/python/ DESTINATION lib/kz-python FILES_MATCHING PATTERN "*.py")
install(FILES ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kz)
install(FILES ${device_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kz/device)
install(FILES ${operation_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kz/ops)
install(FILES ${CMAKE_BINARY_DIR}/kz.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/completion/kz.bash DESTINATION share/bash-completion/completions RENAME kz)
install(FILES ${CMAKE_SOURCE_DIR}/completion/kz.zsh DESTINATION share/zsh/site-functions RENAME _kz)
install(FILES ${CMAKE_SOURCE_DIR}/completion/kz.fish DESTINATION share/fish/vendor_completions.d)
# An installation on this machine remembers the toolkit that it was built with (src/toolchain/find.c). What is staged
# for another machine (DESTDIR) does not.
get_filename_component(toolkit ${KZ_NVCC} REALPATH)
get_filename_component(toolkit ${toolkit}/../.. ABSOLUTE)
install(CODE "if(\"\$ENV{DESTDIR}\" STREQUAL \"\")
    file(CREATE_LINK \"${toolkit}\" \"\${CMAKE_INSTALL_PREFIX}/share/kz/cuda\" SYMBOLIC)
endif()")
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The pages lie together as in a checkout, beside docs and the course, so that their links lead somewhere.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION share/kz)
install(DIRECTORY kernels notebook results gpus DESTINATION share/kz FILES_MATCHING PATTERN "*.md" PATTERN "*.gpu")
install(DIRECTORY examples DESTINATION share/kz FILES_MATCHING PATTERN "*.c" PATTERN "*.cu")
