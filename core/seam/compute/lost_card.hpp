// SPDX-License-Identifier: BSD-3-Clause
// A card whose driver keeps the calling thread for ever: nothing can be thrown there.
#pragma once

namespace reber {

/// What the program does then: called once, on a thread that is not the one that is kept. `words` say which call did
/// not return and how long it was waited for. It may end the process; where it returns, the card is given up, and the
/// thread that is kept stays so.
using LostCardHandler = void (*)(const char* words) noexcept;

/// Without one, or with null, the words go to stderr. Set before the first backend is made.
void on_lost_card(LostCardHandler handler) noexcept;
/// Calls it; for backends.
void lose_card(const char* words) noexcept;

}  // namespace reber
