// The console's page: shows what the node sends over /live, and sends what the person does.

import { made, classed } from "./elements.js";
import { listRuns } from "./runs.js";
import { listTaught, showTried } from "./taught.js";
import { SceneView, spoken } from "./scene.js";
import { Teaching } from "./teach.js";

const SILENT_MS = 5000;
const AGAIN_MS = 1000;
const VERDICTS = { possible: "under way", satisfied: "satisfied", violated: "violated" };
const STEP_WORDS = { waiting: "", running: "now", done: "done", failed: "failed" };
const STOP_TRIES = 20;

const the = (id) => document.getElementById(id);
const scene = new SceneView(the("scene"));
const teaching = new Teaching(scene, (...deed) => done(...deed), (words) => say(words));
const pictures = new Map();
let task = null;
let silent = 0;  // looks since something was heard: a page that stood still itself has not looked

// -- what the node shows ------------------------------------------------------------------------

const show = {
  task(value) { task = value; drawTask(); },
  gate(value) { drawGate(value); },
  guiding(value) { teaching.guiding(value); },
  recording(value) { teaching.recording(value); },
  scene(value) {
    scene.show(value);
    const text = value.things.map((t) => spoken(t.name) + (t.visible ? "" : " (hidden)")).join(", ");
    setText("seen", text || "nothing");
    setText("gripper", gripperWords(value.gripper));
  },
  graph(text) { setText("graph", text); },
  automaton(svg) {
    the("automaton").hidden = !svg;
    the("automaton_picture").src = svg ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` : "data:,";
  },
  silent(parts) {
    for (const shown of document.querySelectorAll("[data-part]"))
      shown.classList.toggle("old", parts.includes(shown.dataset.part));
  },
  beat() {},
};

// Where the hand is, as a person says it who guides it.
function gripperWords({ at: [x, y, z], turned, width }) {
  const cm = (v) => `${Math.abs(100 * v).toFixed(1)} cm`;
  const degrees = Math.round((turned * 180) / Math.PI);
  const way = degrees ? `turned ${Math.abs(degrees)}° to the ${degrees > 0 ? "left" : "right"}` : "not turned";
  return `Gripper: ${cm(x)} ${x < 0 ? "behind" : "before"} the robot, ${cm(y)} to its ${y < 0 ? "right" : "left"}, `
    + `${cm(z)} up, ${way}, fingers ${cm(width)} apart.`;
}

function connect() {
  const address = new URL("live", location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  teaching.connected(socket);
  socket.onmessage = ({ data }) => {
    silent = 0;
    connected(true);
    if (typeof data !== "string") return drawPicture(new Uint8Array(data));
    const { part, value } = JSON.parse(data);
    show[part]?.(value);
  };
  const again = () => {
    clearInterval(watch);
    socket.onmessage = socket.onclose = null;  // one that is only silent may close much later
    socket.close();
    connected(false);
    setTimeout(connect, AGAIN_MS);
  };
  const watch = setInterval(() => { if (++silent * AGAIN_MS > SILENT_MS) again(); }, AGAIN_MS);
  silent = 0;
  socket.onclose = again;
}

function connected(yes) {
  the("lost").hidden = yes;
  document.body.dataset.connected = yes;
  if (!yes) setText("state", "No connection");
}

function drawGate(gate) {
  const stops = gate ? gate.stops : [];
  the("held").hidden = stops.length === 0;
  the("stops").replaceChildren(...stops.map((s) => made("li", s)));
  if (!gate) setText("state", "The robot's executor is not there");
  else if (stops.length) setText("state", "Stopped");
  else setText("state", gate.open ? "The robot may move" : "The robot is at rest");
}

function drawPicture(data) {
  const end = 1 + data[0];
  const name = new TextDecoder().decode(data.subarray(1, end)).replace("camera/", "");
  if (!pictures.has(name)) pictures.set(name, addCamera(name));
  if (document.hidden) return;
  const image = pictures.get(name);
  const before = image.src;
  image.src = URL.createObjectURL(new Blob([data.subarray(end)], { type: "image/jpeg" }));
  if (before) URL.revokeObjectURL(before);
}

function addCamera(name) {
  const figure = made("figure");
  figure.dataset.part = `camera/${name}`;
  const image = made("img");
  image.alt = `Live picture of the camera ${name}`;
  figure.append(image, made("figcaption", name));
  the("cameras").append(figure);
  return image;
}

function drawTask() {
  the("task").hidden = !task.id;
  setText("said", task.instruction);
  drawReading(task.reading);
  drawQuestion();
  drawPlan();
  drawLines();
  drawResult(task.result);
}

function drawReading(reading) {
  the("reading").hidden = !reading;
  if (!reading) return scene.mean([]);
  setText("english", reading.english);
  setText("formula", reading.formula);
  setText("source", `(${reading.source})`);
  the("structure").replaceChildren(...reading.structure.map((s) => made("li", s)));
  the("things").replaceChildren(...reading.things.flatMap(([words, names]) => [
    made("dt", words), made("dd", names.map(spoken).join(", ") || "?"),
  ]));
  const asked = reading.trouble?.choices ?? [];
  scene.mean(reading.things.flatMap(([, names]) => names).concat(asked));
}

function drawQuestion() {
  const trouble = task.reading?.trouble;
  const hide = !task.question;
  if (hide && the("ask").contains(document.activeElement)) the("instruction").focus();
  the("ask").hidden = hide;
  if (hide) return;
  setText("question", task.question);
  showTried(task.question);
  the("yes").hidden = Boolean(trouble);
  const choices = trouble ? trouble.choices : [];
  if (the("choices").dataset.shown === choices.join()) return;
  the("choices").dataset.shown = choices.join();
  the("choices").replaceChildren(...choices.map((choice) => {
    const button = made("button", spoken(choice));
    button.type = "button";
    button.onclick = () => answer("correction", choice);
    return button;
  }));
}

function drawPlan() {
  the("plan").hidden = !task.steps.length;
  setText("planner", task.planner);
  the("steps").replaceChildren(...task.steps.map(drawnStep));
  const left = task.remaining.join("; ") || "nothing";
  setText("progress", task.verdict ? `Progress: ${VERDICTS[task.verdict]}. Still to do: ${left}.` : "");
}

function drawnStep(step) {
  const item = made("li");
  item.className = step.state;
  const again = step.attempt > 1 ? `, attempt ${step.attempt}` : "";
  const word = made("span", STEP_WORDS[step.state] + (step.state === "waiting" ? "" : again));
  word.className = "word";
  item.append(word, step.words);
  if (step.why) item.append(classed("p", "why", `because ${step.why}`));
  if (step.trouble) item.append(classed("p", "no", `${step.trouble.code}: ${step.trouble.message}`));
  if (step.state === "done") {
    const observed = step.checks.filter((c) => c.when === "after").map((c) => c.literal);
    item.append(classed("p", "checks", `observed: ${observed.join(", ")}`));
  } else if (step.checks.length) {
    const list = classed("ul", "checks");
    list.append(...step.checks.map(drawnCheck));
    item.append(list);
  }
  return item;
}

function drawnCheck({ when, literal, observed, detail }) {
  const [word, kind] = observed === null ? ["??", "unknown"] : observed ? ["ok", "ok"] : ["NO", "no"];
  const item = made("li");
  item.append(`${when} `, classed("span", kind, word), ` ${literal}${detail ? `, ${detail}` : ""}`);
  return item;
}

function drawLines() {
  the("told").hidden = !task.lines.length;
  the("lines").replaceChildren(...task.lines.toReversed().map(({ at_s, kind, text }) => {
    const item = classed("li", kind);
    item.append(made("time", `${at_s.toFixed(1)} s`), text);
    return item;
  }));
}

function drawResult(result) {
  the("result").hidden = !result;
  if (!result) return;
  the("result").className = result.good ? "good" : "";
  setText("result_word", result.good ? "Succeeded." : `Not done (${result.code}).`);
  setText("result_text", told(result.text, result));
}

// -- what the person does -----------------------------------------------------------------------

async function request(deed, words = {}) {
  const reply = await fetch(new URL(`do/${deed}`, location.href), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(words),
  });
  if (!reply.ok) throw await refusal(reply);
  return reply.json();
}

async function refusal(reply) {
  if (reply.status !== 409) return new Refused(await reply.text());
  const { code, message, hint, choices } = await reply.json();
  return new Refused(`${code}: ${told(message, { hint, choices })}`);
}

class Refused extends Error {}

async function done(deed, words) {
  trouble("");
  try {
    return await request(deed, words);
  } catch (error) {
    trouble(error instanceof Refused ? error.message : "The console could not be reached.");
    return null;
  }
}

const answer = (kind, words = "") => done("answer", { answer: kind, words, task: task.id });

async function stop() {
  the("stop").dataset.pressed = "yes";
  setText("state", "Stopping ...");
  for (let tries = 1; ; tries += 1) {
    try {
      await request("stop");
      return trouble("");
    } catch (error) {
      trouble(`STOP HAS NOT REACHED THE ROBOT: use its emergency switch. ${error.message}`);
      if (error instanceof Refused || tries === STOP_TRIES) return null;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS / 2));
    }
  }
}

function trouble(text) {
  the("trouble").hidden = !text;
  setText("trouble_text", text);
}

the("stop").onclick = stop;
window.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.repeat) return;
  event.preventDefault();
  stop();
}, { capture: true });
the("list_runs").onclick = listRuns;
the("list_taught").onclick = listTaught;
the("undo_lesson").onclick = async () => {
  const reply = await done("undo_lesson");
  if (!reply) return;
  setText("undone", `Taken back (${reply.undone}). It is kept: sayso library FOLDER --versions shows it, --use N brings it back.`);
  listTaught();
};
the("release").onclick = () => done("release");
the("trouble_close").onclick = () => trouble("");
the("yes").onclick = () => answer("yes");
the("no").onclick = () => answer("no");
// Who gives a task lets go of the arm.
async function say(words) {
  if (teaching.guides) await done("let_go");
  return done("perform", { instruction: words });
}

the("say").onsubmit = async (event) => {
  event.preventDefault();
  const field = the("instruction");
  if (await say(field.value)) field.select();
};
the("correct").onsubmit = async (event) => {
  event.preventDefault();
  const field = the("correction");
  if (await answer("correction", field.value)) field.value = "";
};

// -- small helpers ------------------------------------------------------------------------------

// A text that stays the same is not written again, so that screen readers do not repeat it.
function setText(id, text) {
  if (the(id).textContent !== text) the(id).textContent = text;
}

const told = (text, { hint, choices }) =>
  text + (choices?.length ? ` Valid: ${choices.join(", ")}.` : "") + (hint ? ` Next: ${hint}` : "");

connect();
