// SPDX-License-Identifier: BSD-3-Clause
// The script of the page: frames come in and are drawn, mouse and keys go out.
#include "gui/serve/page_script.hpp"

namespace reber::gui {

const char* const kPageScript = R"js('use strict';
const view = document.getElementById('view'), card = document.getElementById('card');
const words = document.getElementById('words'), opening = document.getElementById('opening');
const pen = view.getContext('2d', {alpha: false});
const mac = /Mac|iPhone|iPad/.test(navigator.platform);
let line = null, drives = false, ended = false, failures = 0, key_to_send = '', most_to_send = 0;

// --- the line ---

// A page that comes back takes the place of the one whose line was lost.
let self = sessionStorage.getItem('reber');
if (!self) {
  self = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
  sessionStorage.setItem('reber', self);
}

function say(message) {
  if (line && line.readyState === WebSocket.OPEN) line.send(JSON.stringify(message));
}

function connect() {
  const address = new URL('line?' + self, location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  line = new WebSocket(address);
  line.binaryType = 'arraybuffer';
  line.onopen = () => { failures = 0; put_away('lost'); };
  line.onmessage = (event) => typeof event.data === 'string' ? hear(JSON.parse(event.data)) : take(event.data);
  line.onclose = async () => {
    line = null;
    drives = false;
    if (ended) return;
    show('lost', 'The line to the viewer is lost. Nothing is: trying again', [], 'wrong busy');
    if (++failures > 2 && await refused()) {
      return show('lost', 'The viewer does not know this browser any more: open the address that it printed', [], 'wrong');
    }
    setTimeout(connect, Math.min(4000, 250 * 2 ** failures));
  };
}

async function refused() {
  try {
    return (await fetch('./', {cache: 'no-store'})).status === 403;
  } catch {
    return false;
  }
}

function hear(message) {
  switch (message.t) {
    case 'title': document.title = message.text; break;
    case 'cursor': view.style.cursor = message.text; break;
    case 'copy': copy(message.text); break;
    case 'full screen':
      if (document.fullscreenElement) document.exitFullscreen();
      else document.documentElement.requestFullscreen().catch(() => {});
      break;
    case 'status': who_drives(message); break;
    case 'fetch': fetch_file(message.key); break;
    case 'send': choose_files(); break;
    case 'asked':
      show('asked', 'Another browser asks to drive', [
        ['Hand over (Alt+H)', () => { say({t: 'hand over'}); put_away('asked'); }, true],
        ['Keep (Alt+K)', () => { say({t: 'keep'}); put_away('asked'); }]]);
      break;
    case 'ended':
      ended = true;
      show('lost', 'The viewer has ended. This page can be closed', [], 'wrong');
      break;
  }
}

function who_drives(message) {
  const gained = message.drives && !drives;
  drives = message.drives;
  key_to_send = message.key || '';
  most_to_send = message.most || 0;
  put_away('asked');
  if (gained) {
    tell_size();
    view.focus();
  }
  if (drives) return put_away('watching');
  show('watching', message.driven ? 'Another browser drives, this one looks on' : 'Nobody drives',
       [[message.driven ? 'Ask to drive' : 'Drive', ask, true]]);
}

function ask() {
  say({t: 'drive'});
  show('watching', 'Asked: it has ten seconds to refuse', []);
}

// --- what is said in the page; the newest stands in front ---

const sayings = new Map();

function show(name, text, buttons, look = '') {
  sayings.delete(name);
  sayings.set(name, {text, buttons, look});
  redraw_card();
}

function put_away(name) {
  if (sayings.delete(name)) redraw_card();
}

function redraw_card() {
  const top = [...sayings.values()].pop();
  card.className = top ? 'shown ' + top.look : '';
  if (!top) return;
  words.textContent = top.text;
  for (const old of card.querySelectorAll('button')) old.remove();
  for (const [text, act, first] of top.buttons) {
    const button = document.createElement('button');
    button.textContent = text;
    if (first) button.className = 'first';
    button.onclick = () => { act(); view.focus(); };
    card.append(button);
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const again = () => { navigator.clipboard.writeText(text).catch(() => {}); put_away('copy'); };
    show('copy', 'Copied in the viewer', [['To the clipboard here', again, true], ['Leave', () => put_away('copy')]]);
  }
}

// --- files ---

function fetch_file(key) {
  const link = document.createElement('a');
  link.href = 'file?key=' + key;
  link.download = '';
  link.click();
}

function choose_files() {
  const chooser = document.createElement('input');
  chooser.type = 'file';
  chooser.multiple = true;
  chooser.onchange = () => send_files([...chooser.files]);
  // A browser opens it only soon after a click or key of its user.
  const open = () => { chooser.click(); put_away('choose'); };
  if (!navigator.userActivation || navigator.userActivation.isActive) return open();
  show('choose', 'A file for the viewer', [['Choose', open, true], ['Leave', () => put_away('choose')]]);
}

async function send_files(files) {
  for (const file of files) {
    const leave = [['Close', () => put_away('file'), true]];
    if (file.size > most_to_send) {
      return show('file', `${file.name} has more than ${Math.round(most_to_send / 1048576)} MiB`, leave, 'wrong');
    }
    show('file', `Sending ${file.name}`, [], 'busy');
    try {
      const address = `upload?key=${key_to_send}&name=${encodeURIComponent(file.name)}`;
      const answer = await fetch(address, {method: 'POST', body: file});
      if (!answer.ok) return show('file', `${file.name} was not taken: ${await answer.text()}`, leave, 'wrong');
    } catch {
      return show('file', `${file.name} was not taken: the line broke`, leave, 'wrong');
    }
    put_away('file');
  }
}

document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  if (drives && event.dataTransfer.files.length) send_files([...event.dataTransfer.files]);
});

// --- frames ---

let drawing = Promise.resolve();

function take(bytes) {
  drawing = drawing.then(() => draw(bytes)).catch(() => { if (line) line.close(); });
}

async function draw(bytes) {
  const data = new DataView(bytes);
  let at = 0;
  const number = () => { at += 4; return data.getUint32(at - 4, true); };
  const frame = number(), width = number(), height = number(), count = number();
  const parts = [];
  for (let i = 0; i < count; ++i) {
    const x = number(), y = number();
    number();
    number();
    const size = number();
    parts.push({x, y, file: new Blob([new Uint8Array(bytes, at, size)])});
    at += size;
  }
  const pictures = await Promise.all(parts.map((part) => createImageBitmap(part.file, {colorSpaceConversion: 'none'})));
  if (view.width !== width || view.height !== height) {
    view.width = width;
    view.height = height;
  }
  pictures.forEach((picture, i) => {
    pen.drawImage(picture, parts[i].x, parts[i].y);
    picture.close();
  });
  opening.classList.add('gone');
  say({t: 'drawn', frame});
}

// --- mouse ---

const ratio = () => Math.min(8, Math.max(0.25, window.devicePixelRatio || 1));
const within = (value, most) => Math.round(Math.max(200, Math.min(most, value)));

function tell_size() {
  if (!drives) return;
  say({t: 'size', width: within(innerWidth * ratio(), 7680), height: within(innerHeight * ratio(), 4320), scale: ratio()});
}

let place = null, place_waits = false;

function flush_place() {
  if (!place_waits) return;
  place_waits = false;
  say({t: 'move', x: place.x, y: place.y});
}

function point(event) {
  const box = view.getBoundingClientRect();
  place = {x: (event.clientX - box.left) * view.width / box.width, y: (event.clientY - box.top) * view.height / box.height};
  if (!place_waits) requestAnimationFrame(flush_place);
  place_waits = true;
}

const held = (event) => ({shift: event.shiftKey, ctrl: event.ctrlKey || (mac && event.metaKey), alt: event.altKey});
const kButtons = [0, 2, 1];  // left, middle, right of a browser as the viewer counts them

function press(event, down) {
  if (!drives || event.button > 2) return;
  point(event);
  flush_place();
  if (down) view.setPointerCapture(event.pointerId);
  say({t: 'button', button: kButtons[event.button], down, ...held(event)});
  event.preventDefault();
  if (down) view.focus();
}

view.addEventListener('pointermove', (event) => { if (drives) point(event); });
view.addEventListener('pointerdown', (event) => press(event, true));
view.addEventListener('pointerup', (event) => press(event, false));
view.addEventListener('pointercancel', () => say({t: 'released'}));
view.addEventListener('contextmenu', (event) => event.preventDefault());
view.addEventListener('wheel', (event) => {
  if (!drives) return;
  event.preventDefault();
  point(event);
  flush_place();
  const unit = event.deltaMode === 0 ? 100 : event.deltaMode === 1 ? 3 : 1;
  const steps = (delta) => Math.max(-10, Math.min(10, -delta / unit));
  const turned = event.shiftKey && event.deltaY === 0;  // by the browser, for Shift
  say({t: 'wheel', x: turned ? 0 : steps(event.deltaX), y: steps(turned ? event.deltaX : event.deltaY)});
}, {passive: false});

// --- keys ---

const kBrowsers = new Set(['F5', 'F6', 'F11', 'F12']);

function card_key(event) {
  if (!event.altKey || !sayings.has('asked')) return false;
  const button = {KeyH: 0, KeyK: 1}[event.code];
  if (button === undefined) return false;
  card.querySelectorAll('button')[button]?.click();
  return true;
}

function key(event, down) {
  if (!drives || event.isComposing || event.target !== view && event.target !== document.body) return;
  if (down && card_key(event)) return event.preventDefault();
  if (kBrowsers.has(event.key)) return;
  const mods = held(event);
  if (mods.ctrl && event.code === 'KeyV') return;  // what is pasted comes by an event of its own
  event.preventDefault();
  flush_place();
  const writes = [...event.key].length === 1 && (event.getModifierState('AltGraph') || !(mods.ctrl || mods.alt));
  const name = {key: [...event.key].length === 1 ? event.key : '', code: event.code};
  if (mac && name.code.startsWith('Meta')) name.code = 'ControlLeft';
  if (!event.getModifierState('AltGraph')) {
    say({t: 'key', ...name, down, repeat: event.repeat, ...mods});
    if (down && mac && event.metaKey) say({t: 'key', ...name, down: false, ...mods});  // its release is not told
  }
  if (down && writes) say({t: 'text', code: event.key.codePointAt(0)});
}

document.addEventListener('keydown', (event) => key(event, true));
document.addEventListener('keyup', (event) => key(event, false));
document.addEventListener('paste', (event) => {
  if (!drives) return;
  event.preventDefault();
  say({t: 'clipboard', text: event.clipboardData.getData('text/plain').slice(0, 200000)});
  for (const down of [true, false]) say({t: 'key', key: 'v', code: 'KeyV', down, ctrl: true});
});
window.addEventListener('blur', () => { if (drives) say({t: 'released'}); });
window.addEventListener('resize', tell_size);

view.focus();
connect();
)js";

}  // namespace reber::gui
