# Headers that most sources of a library include. Compiled once, they take a third off a clean build. Only headers of
# the system: one of ours would compile the whole library anew whenever it changes. A source still includes what it
# uses; the test `presets` compiles without this and notices one that does not.
set(reber_common_headers <fmt/format.h> <algorithm> <array> <atomic> <cmath> <filesystem> <functional> <map> <memory>
  <mutex> <optional> <span> <string> <string_view> <thread> <utility> <variant> <vector>)
