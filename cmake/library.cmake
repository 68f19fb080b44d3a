# libkz, static and shared, from the objects of the zoo and of every layer that it uses. It needs libc, libm and
# pthreads alone, and shows kz_ names alone.
set(objects)
kz_layers_of(layers kernels)
foreach(layer ${layers})
    get_target_property(parts kz_${layer} KZ_PARTS)
    foreach(target kz_${layer} ${parts})
        if(TARGET ${target}) # most layers have no other parts
            list(APPEND objects $<TARGET_OBJECTS:${target}>)
        endif()
    endforeach()
endforeach()

add_library(libkz_static STATIC ${objects})
add_custom_command(TARGET libkz_static POST_BUILD
                   COMMAND ${CMAKE_SOURCE_DIR}/tools/prefix_names ${CMAKE_NM} ${CMAKE_OBJCOPY} $<TARGET_FILE:libkz_static>
                   VERBATIM)
add_library(libkz_shared SHARED ${objects})
set_target_properties(libkz_shared PROPERTIES VERSION ${KZ_VERSION} SOVERSION ${KZ_SOVERSION})
if(NOT KZ_SANITIZE) # a sanitizer's runtime is found when the program starts
    target_link_options(libkz_shared PRIVATE -Wl,--no-undefined)
endif()
foreach(library libkz_static libkz_shared)
    set_target_properties(${library} PROPERTIES OUTPUT_NAME kz LINKER_LANGUAGE C
                          ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
                          LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
    target_link_libraries(${library} PUBLIC m pthread ${CMAKE_DL_LIBS})
endforeach()
