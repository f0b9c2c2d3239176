#!/usr/bin/env bash
# The layering that docs/architecture.md promises, checked on the includes themselves, and the calls that are banned.
set -u
cd "$1" || exit 2
bad=0
forbid() {  # folder, pattern, reason
  local hits
  hits=$(grep -rnE "$2" "$1" --include='*.cpp' --include='*.hpp' --include='*.cu' --include='*.cuh' 2>/dev/null |
    grep -vE "${4:-^$}")
  if [ -n "$hits" ]; then printf '%s\n  -> %s\n' "$hits" "$3"; bad=1; fi
}
forbid core '#include "(kernels|gui|app|tests|bench)/' 'core knows none of the other folders'
forbid kernels '#include "(gui|app|tests|bench)/' 'kernels may use core alone'
forbid gui '#include "(kernels|app|tests|bench)/' 'the viewer depends on core alone'
forbid app '#include "kernels/[^"]*/' 'app sees kernels/backends.hpp and the describe() of kernels/cuda/backend.hpp' 'kernels/cuda/backend.hpp'
forbid . '#include <(cuda|cufft|cub/|nvtx)' 'CUDA headers live under kernels/cuda' '^\./kernels/cuda/|^\./build|^\./\.cuda/'
forbid . '#include <(GL/|GLFW/|imgui|backends/imgui)' 'OpenGL lives under gui' '^\./gui/|^\./build'
for models in gui/model gui/state.hpp gui/state.cpp; do
  forbid "$models" '#include (<(GL/|GLFW/|imgui|backends/imgui)|"gui/(render|shell|panels|overlays)/)' 'models know no window'
done
forbid . 'fits_open_file\(|fits_open_image\(|fits_open_data\(|fits_create_file\(|fits_open_memfile\(|[^_a-z]system\(|popen\(|wcsprintf_set\(NULL|wcsprintf_set\(nullptr' \
  'calls that read names as commands, URLs or sections, or overflow' '^\./build|^\./tests/support/check_layers'
forbid . 'cuda(Malloc|Free|MallocAsync|FreeAsync|MallocHost|FreeHost|StreamCreate|EventCreate)[A-Za-z]*\(' 'handles are made in kernels/cuda/raii.hpp alone' \
  '^\./kernels/cuda/raii\.|^\./build|^\./\.cuda/'
[ "$bad" = 0 ] && echo "layers hold"
exit "$bad"
