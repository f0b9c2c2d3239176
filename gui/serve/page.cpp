// SPDX-License-Identifier: BSD-3-Clause
// Markup and style of the page.
#include "gui/serve/page.hpp"

#include <fmt/format.h>

#include "gui/serve/access.hpp"
#include "gui/serve/page_script.hpp"

namespace reber::gui {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: dark; --ground: #101113; --card: #1c1f23f2; --line: #ffffff1f; --text: #e8eaed; --soft: #9aa3ad;
  --accent: #7cc4ff; }
* { box-sizing: border-box; }
html, body { margin: 0; height: 100%; background: var(--ground); color: var(--text); overflow: hidden;
  font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
canvas { display: block; width: 100vw; height: 100vh; object-fit: contain; outline: none; touch-action: none; }
main { display: grid; place-content: center; height: 100%; padding: 2rem; text-align: center; }
main h1 { margin: 0 0 .5rem; font-size: 1.4rem; font-weight: 600; letter-spacing: .01em; }
main p { margin: 0; max-width: 34rem; color: var(--soft); }
code { color: var(--accent); }
#card { position: fixed; left: 50%; bottom: 3.2rem; transform: translate(-50%, .6rem); display: flex; gap: .9rem;
  align-items: center; max-width: min(92vw, 44rem); padding: .6rem .7rem .6rem 1.1rem; border: 1px solid var(--line);
  border-radius: 999px; background: var(--card); box-shadow: 0 10px 40px #0009; backdrop-filter: blur(10px); opacity: 0;
  visibility: hidden; transition: opacity .18s, transform .18s, visibility .18s; }
#card.shown { opacity: 1; visibility: visible; transform: translate(-50%, 0); }
#card > span { padding: .2rem .4rem .2rem 0; }
#dot { flex: none; width: .55rem; height: .55rem; border-radius: 50%; background: var(--accent); }
#card.wrong #dot { background: #ffb454; }
#card.wrong.busy #dot { animation: beat 1.2s infinite alternate ease-in-out; }
@keyframes beat { to { opacity: .2; } }
button { padding: .35rem 1rem; border: 1px solid var(--line); border-radius: 999px; background: #ffffff14;
  color: inherit; font: inherit; white-space: nowrap; cursor: pointer; }
button:hover { background: #ffffff26; }
button.first { border-color: transparent; background: var(--accent); color: #06121d; font-weight: 600; }
button.first:hover { background: #a5d7ff; }
button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#opening { position: fixed; inset: 0; display: grid; place-content: center; justify-items: center; gap: 1rem;
  color: var(--soft); pointer-events: none; transition: opacity .25s; }
#opening.gone { opacity: 0; }
#opening i { width: 2.2rem; height: 2.2rem; border: 2px solid var(--line); border-top-color: var(--accent);
  border-radius: 50%; animation: turn .9s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
)";

constexpr const char* kBody = R"(
<canvas id="view" tabindex="0" width="16" height="16" role="application"
  aria-label="Reber's viewer. Every action has a key; F1 lists them."></canvas>
<div id="opening"><i></i><span>Opening the viewer</span></div>
<div id="card" role="status" aria-live="polite"><b id="dot"></b><span id="words"></span></div>
<noscript><main><h1>Reber</h1><p>The viewer needs JavaScript.</p></main></noscript>
)";

const std::string& nonce() {
  static const std::string one = make_secret();
  return one;
}

std::string document(const std::string& body) {
  return fmt::format(
      R"(<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Reber</title>)"
      R"(<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">)"
      R"(<style nonce="{}">{}</style></head><body>{}</body></html>)",
      nonce(), kStyle, body);
}

}  // namespace

const std::string& page() {
  static const std::string made =
      document(fmt::format("{}<script nonce=\"{}\">{}</script>", kBody, nonce(), kPageScript));
  return made;
}

const std::string& page_policy() {
  // A notebook on this machine, at a port of its own, may show the page in a frame.
  static const std::string made = fmt::format(
      "default-src 'none'; script-src 'nonce-{0}'; style-src 'nonce-{0}'; img-src blob: data:; connect-src 'self'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'self' http://localhost:* http://127.0.0.1:*",
      nonce());
  return made;
}

std::string refusal(const std::string& words) {
  return document(fmt::format("<main><h1>Reber</h1><p>{}</p></main>", words));
}

}  // namespace reber::gui
