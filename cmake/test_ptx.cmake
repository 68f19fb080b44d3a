# kz_test_ptx(VARIABLE FILE LOWEST): PTX of a test's .cu for each architecture in its line "// kz: sm 80 90", or
# for LOWEST where it has none. VARIABLE becomes the list of files: shuffles.ptx, or with several architectures
# shuffles_sm80.ptx and shuffles_sm90.ptx.
#
# kz_test_ptx_target(NAME): the target that makes all of them in this folder, one command per architecture: nvcc
# spends most of its time on headers, which tools/test_ptx.c lets it read once for many files.
add_executable(test_ptx ${CMAKE_SOURCE_DIR}/tools/test_ptx.c)
target_link_libraries(test_ptx PRIVATE kz_toolchain)
set_target_properties(test_ptx PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)

function(kz_test_ptx variable file lowest)
    get_filename_component(name ${file} NAME_WE)
    file(STRINGS ${file} said REGEX "^// kz: sm [0-9a ]+$")
    string(REGEX MATCHALL "[0-9]+a?" architectures "${said}")
    if(NOT architectures)
        set(architectures ${lowest})
    endif()
    list(LENGTH architectures many)
    set(made)
    foreach(sm ${architectures})
        set(stem ${name})
        if(many GREATER 1)
            set(stem ${name}_sm${sm})
        endif()
        set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${stem}.ptx)
        set_property(DIRECTORY APPEND PROPERTY test_ptx_${sm} ${file} ${ptx})
        set_property(DIRECTORY APPEND PROPERTY test_ptx_architectures ${sm})
        list(APPEND made ${ptx})
    endforeach()
    set(${variable} ${made} PARENT_SCOPE)
endfunction()

function(kz_test_ptx_target name)
    get_property(architectures DIRECTORY PROPERTY test_ptx_architectures)
    file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/kz/*.cuh ${CMAKE_SOURCE_DIR}/include/kz/device/*
        ${CMAKE_CURRENT_SOURCE_DIR}/*.cuh)
    list(REMOVE_DUPLICATES architectures)
    set(all)
    foreach(sm ${architectures})
        get_property(pairs DIRECTORY PROPERTY test_ptx_${sm})
        set(sources ${pairs})
        list(FILTER sources INCLUDE REGEX "\\.cu$")
        set(made ${pairs})
        list(FILTER made INCLUDE REGEX "\\.ptx$")
        add_custom_command(OUTPUT ${made}
            COMMAND test_ptx ${KZ_NVCC} ${KZ_NVCC_VERSION} ${CMAKE_BINARY_DIR}/test_ptx_cache ${CMAKE_SOURCE_DIR}/include
                ${sm} ${pairs}
            DEPENDS ${sources} ${headers} test_ptx ${KZ_NVCC} COMMENT "nvcc for ${name}, sm_${sm}" VERBATIM)
        list(APPEND all ${made})
    endforeach()
    add_custom_target(${name} ALL DEPENDS ${all})
endfunction()
