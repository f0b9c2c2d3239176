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
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${REBER_WERROR}>>:-Werror>)
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG -fno-math-errno")
if(REBER_FUZZ)
  set(fuzz_flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_compile_options(reber_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${fuzz_flags}>)
  target_link_options(reber_options INTERFACE -fsanitize=address,undefined)
endif()
if(REBER_SANITIZE)
  target_compile_options(reber_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined -fno-omit-frame-pointer>)
  target_link_options(reber_options INTERFACE -fsanitize=address,undefined)
endif()
