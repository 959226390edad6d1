// Show the robot how: guide its arm by buttons, keys, a gamepad or by pulling at the gripper, and
// record that. The arm goes while something is held: what is wished for is told again and again,
// and counts for a moment only, so that a page that vanishes leaves the arm at rest.

import { made } from "./elements.js";

const the = (id) => document.getElementById(id);
const PERIOD_MS = 50;
const NONE = [0, 0, 0, 0, 0];  // x, y, z, turn, fingers
const SLOW = 0.25;
const DEAD_ZONE = 0.15;
const SHOULDER = 4;  // of a gamepad with the browser's standard mapping
const PAGE = `${Date.now()}-${Math.random()}`;

export class Teaching {
  // scene: a SceneView; done: has the console do something; say: gives it an instruction
  constructor(scene, done, say) {
    this.scene = scene;
    this.done = done;
    this.say = say;
    this.held = new Map();
    this.pulled = null;
    this.last = NONE;
    this.guides = false;
    this.#pad();
    scene.onPull = (velocity) => { this.pulled = velocity; this.#tell(); };
    the("guide").onclick = () => (this.guides ? done("let_go") : done("guide", { page: PAGE }));
    the("record").onsubmit = (event) => {
      event.preventDefault();
      done("record", { words: the("shows").value });
    };
    the("keep").onclick = () => this.#end("keep");
    the("discard").onclick = () => this.#end("discard");
    the("list_shown").onclick = () => this.list();
    for (const [on, kind] of [[window, "blur"], [document, "visibilitychange"]])
      on.addEventListener(kind, () => this.#release());
    setInterval(() => this.#tell(), PERIOD_MS);
  }

  // A live connection began: it is told whose it is.
  connected(socket) {
    this.socket = socket;
    this.socket.addEventListener("open", () => { socket.send(JSON.stringify({ page: PAGE })); this.list(); });
  }

  guiding({ page, text }) {
    this.guides = page === PAGE;
    if (!this.guides) this.#release();
    this.scene.pulls = this.guides;
    the("pad").disabled = !this.guides;
    the("guide").textContent = this.guides ? "Let go of the arm" : "Guide the arm";
    the("guide").disabled = Boolean(page) && !this.guides;
    the("guided").textContent = text || (page && !this.guides ? "The arm is guided from another page." : "");
  }

  recording(value) {
    the("record").hidden = Boolean(value);
    the("recorded").hidden = !value;
    if (!value) return;
    const things = value.about.map((name) => name.replaceAll("_", " ")).join(", ");
    the("recording").textContent = `Recording: ${value.words} (${things}).`;
  }

  async list() {
    const reply = await fetch(new URL("shown", location.href)).catch(() => null);
    const shown = reply?.ok ? await reply.json() : [];
    const skills = new Map();
    for (const one of shown) skills.set(one.words, (skills.get(one.words) ?? 0) + 1);
    the("shown").replaceChildren(...shown.map(drawn));
    if (!shown.length) the("shown").append(made("li", "Nothing was shown yet."));
    the("learn").replaceChildren(...[...skills].filter(([words]) => words).map((skill) => this.#learn(skill)));
  }

  #learn([words, times]) {
    const button = made("button", `Have it done: ${words} (shown ${times} ${times === 1 ? "time" : "times"})`);
    button.type = "button";
    button.onclick = () => this.say(`${words[0].toUpperCase()}${words.slice(1)}.`);
    return button;
  }

  async #end(deed) {
    const shown = await this.done(deed);
    if (!shown) return;
    const wrong = shown.problems.length ? ` ${shown.problems.join(" ")}` : " Nothing is wrong with it.";
    the("told_shown").textContent = deed === "keep" ? `Kept, ${shown.duration_s} s: ${shown.steps.join(", ")}.${wrong}` : "It was not kept.";
    this.list();
  }

  #pad() {
    for (const button of the("pad").querySelectorAll("[data-wish]")) {
      const wish = button.dataset.wish.split(" ").map(Number);
      const key = `button ${button.dataset.wish}`;
      const hold = () => { this.held.set(key, wish); button.classList.add("held"); this.#tell(); };
      const release = () => { this.held.delete(key); button.classList.remove("held"); this.#tell(); };
      button.onpointerdown = (event) => { button.setPointerCapture(event.pointerId); hold(); };
      button.onpointerup = button.onpointercancel = button.onlostpointercapture = button.onblur = release;
      button.onkeydown = (event) => { if (pressed(event)) { event.preventDefault(); hold(); } };
      button.onkeyup = (event) => { if (pressed(event)) release(); };
    }
    const wishes = new Map([...the("pad").querySelectorAll("[data-key]")].map((b) => [b.dataset.key, b.dataset.wish.split(" ").map(Number)]));
    the("pad").addEventListener("keydown", (event) => {
      const wish = wishes.get(event.key.toLowerCase());
      if (!wish || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.held.set(`key ${event.key.toLowerCase()}`, wish);
      this.#tell();
    });
    window.addEventListener("keyup", (event) => { this.held.delete(`key ${event.key.toLowerCase()}`); this.#tell(); });
  }

  #release() {
    this.held.clear();
    this.pulled = null;
    for (const button of the("pad").querySelectorAll(".held")) button.classList.remove("held");
    this.#tell();
  }

  #tell() {
    const wish = this.guides ? this.#wish() : NONE;
    const still = wish.every((v) => v === 0) && this.last.every((v) => v === 0);
    this.last = wish;
    if (still || this.socket?.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ page: PAGE, wish: wish.map((v) => Math.round(v * 1000) / 1000) }));
  }

  #wish() {
    const wishes = [...this.held.values(), gamepad()];
    if (this.pulled) wishes.push([...this.pulled, 0, 0]);
    const sum = NONE.map((_, i) => wishes.reduce((total, wish) => total + wish[i], 0));
    const speed = the("slowly").checked ? SLOW : 1;
    return sum.map((v, i) => Math.max(-1, Math.min(1, v)) * (i < 4 ? speed : 1));
  }
}

const pressed = ({ key }) => key === " " || key === "Enter";

// The first gamepad whose left shoulder button is held; its sticks tell right and down as positive.
function gamepad() {
  for (const pad of navigator.getGamepads?.() ?? []) {
    if (!pad?.buttons[SHOULDER]?.pressed) continue;
    const [y, x, turn, z] = pad.axes.map((v) => (Math.abs(v) > DEAD_ZONE ? -v : 0));
    const fingers = Number(pad.buttons[1].pressed) - Number(pad.buttons[0].pressed);
    return [x, y, z, turn, fingers];
  }
  return NONE;
}

function drawn({ folder, words, duration_s, steps, problems }) {
  const item = made("li", `${folder}: ${words || "cannot be read"}, ${duration_s} s`);
  const lines = made("ul");
  lines.append(...steps.map((step) => made("li", step)), ...problems.map((wrong) => {
    const line = made("li", wrong);
    line.className = "no";
    return line;
  }));
  item.append(lines);
  return item;
}
