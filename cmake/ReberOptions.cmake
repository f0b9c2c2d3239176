# Flags that every target of ours gets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(reber_options INTERFACE)
target_include_directories(reber_options INTERFACE ${CMAKE_SOURCE_DIR})
# -ffp-contract=off: the compiler must not fuse multiplies and adds by itself, or backends would differ in the last bit.
target_compile_options(reber_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -ffp-contract=off>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${REBER_WERROR}>>:-Wconversion -Werror>)
# GCC 12 sees overlapping copies where two strings are joined (its bug 105651).
if(REBER_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(reber_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-error=restrict>)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG -fno-math-errno")
if(REBER_FUZZ)
  set(fuzz_flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_compile_options(reber_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${fuzz_flags}>)
  target_link_options(reber_options INTERFACE -fsanitize=address,undefined)
endif()
if(REBER_SANITIZE STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
elseif(REBER_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread -fno-omit-frame-pointer)
endif()
if(sanitizers)
  target_compile_options(reber_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${sanitizers}>)
  target_link_options(reber_options INTERFACE ${sanitizers})
  target_sources(reber_options INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${CMAKE_SOURCE_DIR}/tests/support/sanitizers/defaults.cpp>)
endif()
if(REBER_HARDEN)
  # The C library's checks need an optimiser.
  target_compile_options(reber_options INTERFACE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>
    $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong -fstack-clash-protection>)
  target_link_options(reber_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
endif()
