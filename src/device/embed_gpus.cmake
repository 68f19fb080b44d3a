# Turns gpus/*.gpu into a C table: cmake -DFILES="a;b" -DOUTPUT=file.c -P embed_gpus.cmake
# The texts are embedded, not read at run time, so that libkz works wherever it is copied.
set(rows "")
set(count 0)
foreach(file ${FILES})
    get_filename_component(key ${file} NAME_WE)
    file(READ ${file} text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    string(APPEND rows "    {\"${key}\",\n     \"${text}\"},\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT}
     "// Generated from gpus/.\n"
     "#include \"device/gpus.h\"\n\n"
     "const device_gpu_file device_gpu_files[] = {\n${rows}};\n"
     "const size_t device_gpu_file_count = ${count};\n")
