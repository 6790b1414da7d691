# How everything in this tree is compiled: language level, warnings, hardening, sanitizers; and linnet_layer(), which
# makes one static library of one folder of src/.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
find_program(LINNET_CCACHE ccache)
if(LINNET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What it has to overlook so that files with a precompiled header can be cached.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${LINNET_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${LINNET_CCACHE})
endif()
find_package(Threads REQUIRED)

add_library(linnet_options INTERFACE)
# nvcc hands what it compiles to g++ under names of its own: it gets the warnings that survive that.
target_compile_options(linnet_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wnon-virtual-dtor;-Woverloaded-virtual;-fstack-protector-strong;-fno-math-errno>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-fstack-protector-strong;--expt-relaxed-constexpr;-lineinfo>)
if(LINNET_WERROR)
  target_compile_options(linnet_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
if(LINNET_SANITIZE)
  target_compile_options(linnet_options INTERFACE
    -fsanitize=${LINNET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(linnet_options INTERFACE -fsanitize=${LINNET_SANITIZE})
else()
  target_compile_definitions(linnet_options INTERFACE $<$<CONFIG:Release>:_FORTIFY_SOURCE=2> _GLIBCXX_ASSERTIONS)
  target_link_options(linnet_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# For what need not be fast: quicker to compile.
add_library(linnet_light INTERFACE)
target_compile_options(linnet_light INTERFACE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Sanitize>:-O0>)

function(linnet_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# linnet_layer(NAME [COMPUTES] SOURCES a.cpp b.cpp … [APART c.cpp …] DEPENDS other layers and libraries …)
# Sanitizer builds optimize only what COMPUTES: the rest is compiled in two thirds of the time, and its tests are quick anyway.
# All presets but `dev` compile several SOURCES as one, which takes half the time. Those that are APART never: they have
# names of their own that another file has too, or structs that must not be seen from another file.
function(linnet_layer name)
  cmake_parse_arguments(LAYER "COMPUTES" "" "SOURCES;APART;DEPENDS" ${ARGN})
  add_library(linnet_${name} STATIC ${LAYER_SOURCES} ${LAYER_APART})
  linnet_apart(${LAYER_APART})
  target_include_directories(linnet_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(linnet_${name} PUBLIC ${LAYER_DEPENDS} PRIVATE $<BUILD_INTERFACE:linnet_options>)
  if(NOT LAYER_COMPUTES AND NOT LINNET_FUZZ)
    target_compile_options(linnet_${name} PRIVATE $<$<CONFIG:Sanitize>:-O0>)
  endif()
endfunction()
