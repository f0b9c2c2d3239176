// SPDX-License-Identifier: BSD-3-Clause
// What a hand does between two frames: all of it arrives, in its order.
#include "gui/model/input_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace reber::gui {
namespace {

using Kind = InputEvent::Kind;

InputEvent letter_key(char c, bool down) { return {.kind = Kind::key, .code = c, .down = down}; }
InputEvent editing_key(int code, bool down) { return {.kind = Kind::key, .code = code, .down = down, .editing = true}; }
InputEvent character(char c) { return {.kind = Kind::text, .code = c}; }

/// Events of each frame as letters: a key down "k", up "K", a character itself, a button "b" or "B", moves "m".
std::string frames(InputQueue& queue) {
  std::string all;
  for (int frame = 0; frame < 1000 && !queue.empty(); ++frame) {
    queue.begin_frame();
    if (frame > 0) all += '|';
    while (const auto event = queue.next()) {
      if (event->kind == Kind::key) all += event->down ? 'k' : 'K';
      if (event->kind == Kind::text) all += static_cast<char>(event->code);
      if (event->kind == Kind::button) all += event->down ? 'b' : 'B';
      if (event->kind == Kind::move) all += 'm';
    }
  }
  return all;
}

TEST(InputQueue, WordsTypedBetweenTwoFramesArriveInOne) {
  InputQueue queue;
  for (const char c : std::string("ab")) {
    queue.push(letter_key(c, true));
    queue.push(character(c));
    queue.push(letter_key(c, false));
  }
  EXPECT_EQ(frames(queue), "kaKkbK");
}

TEST(InputQueue, EachTapOfAKeyThatEditsHasAFrameToBeSeenIn) {
  InputQueue queue;
  for (int i = 0; i < 3; ++i) {
    queue.push(editing_key(259, true));
    queue.push(editing_key(259, false));
  }
  EXPECT_EQ(frames(queue), "k|K|k|K|k|K");
}

TEST(InputQueue, ALetterBehindBackspaceWaits) {
  InputQueue queue;
  queue.push(editing_key(259, true));
  queue.push(character('a'));
  EXPECT_EQ(frames(queue), "k|a");
}

TEST(InputQueue, TwoClicksAreTwo) {
  InputQueue queue;
  for (const bool down : {true, false, true, false}) queue.push({.kind = Kind::button, .down = down});
  EXPECT_EQ(frames(queue), "b|B|b|B");
}

TEST(InputQueue, AMoveBehindAPressWaitsAndMovesAreOne) {
  InputQueue queue;
  queue.push({.kind = Kind::move, .x = 1});
  queue.push({.kind = Kind::move, .x = 2});
  queue.push({.kind = Kind::button, .down = true});
  queue.push({.kind = Kind::move, .x = 3});
  EXPECT_EQ(frames(queue), "mb|m");
}

TEST(InputQueue, TheCharacterOfAKeyThatActedGoesNowhere) {
  InputQueue queue;
  queue.push(letter_key('/', true));
  queue.push(character('/'));
  queue.push(letter_key('a', true));
  queue.push(character('a'));
  queue.begin_frame();
  ASSERT_TRUE(queue.next());
  queue.swallow_text();
  queue.hold(2);
  EXPECT_FALSE(queue.next());
  EXPECT_EQ(frames(queue), "|ka");
}

TEST(InputQueue, ALaterCharacterIsNoPartOfAKeyThatActed) {
  InputQueue queue;
  queue.push(letter_key('/', true));
  queue.begin_frame();
  ASSERT_TRUE(queue.next());
  queue.swallow_text();
  queue.push(character('a'));
  EXPECT_EQ(frames(queue), "a");
}

}  // namespace
}  // namespace reber::gui
