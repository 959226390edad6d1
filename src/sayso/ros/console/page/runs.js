// The runs of before: their list, and the report of one. Nothing here ever covers the STOP button.

import { made, classed } from "./elements.js";

const the = (id) => document.getElementById(id);
const below = (path) => new URL(`runs${path}`, location.href);

export async function listRuns() {
  const reply = await fetch(below("")).catch(() => null);
  if (!reply?.ok) return the("runs").replaceChildren(made("li", "The console could not be reached."));
  const runs = await reply.json();
  the("runs").replaceChildren(...runs.map(listed));
  if (!runs.length) the("runs").append(made("li", "There are none in the folder of runs."));
}

function listed({ folder, instruction, code, good }) {
  const button = made("button");
  button.type = "button";
  button.append(classed("span", good ? "ok" : "no", good ? "Succeeded" : code || "Not ended"), ` ${folder}: ${instruction}`);
  button.onclick = () => open(folder);
  const item = made("li");
  item.append(button);
  return item;
}

async function open(folder) {
  const at = `/${folder.split("/").map(encodeURIComponent).join("/")}`;
  const reply = await fetch(below(`${at}/report.json`));
  the("run_title").textContent = `Run ${folder}`;
  the("run_report").replaceChildren(...(reply.ok ? report(await reply.json(), at) : [made("p", "It cannot be read.")]));
  the("run").hidden = false;
  the("run_title").focus();
  the("run").scrollIntoView();
}

function report(data, at) {
  const { instruction, result, specification, plans, repairs, pictures, skills } = data;
  const parts = [made("blockquote", instruction)];
  if (result) parts.push(made("p", `${result.succeeded ? "Succeeded" : `Not done (${result.code})`} after ${result.elapsed_s.toFixed(1)} s: ${result.message}`));
  if (specification) parts.push(made("h3", "Understood as"), made("p", specification.english));
  plans.forEach((plan, i) => parts.push(made("h3", plans.length > 1 ? `Plan ${i + 1}` : "Plan"), steps(plan)));
  if (repairs.length) parts.push(made("h3", "Repairs"), bullets(repairs.map((r) => `${r.does || r.action}: ${r.cause}. ${r.taken ? "Repair" : "No repair"} (${r.repairer}): ${r.reason}`)));
  if (pictures.length) parts.push(made("h3", "Pictures"));
  return parts.concat(pictures.map((p) => picture(p, skills[p.skill]?.does, at)));
}

function steps(plan) {
  const list = made("ol");
  list.append(...plan.steps.map((s) => made("li", s.does || s.action)));
  return list;
}

function bullets(texts) {
  const list = made("ul");
  list.append(...texts.map((t) => made("li", t)));
  return list;
}

function picture({ caption, file }, skill, at) {
  const words = skill ? `${caption}: ${skill}` : caption;
  const figure = made("figure");
  const image = made("img");
  image.src = below(`${at}/${file.split("/").map(encodeURIComponent).join("/")}`);
  image.alt = words;
  image.loading = "lazy";
  figure.append(image, made("figcaption", words));
  return figure;
}

the("run_close").onclick = () => {
  the("run").hidden = true;
  the("list_runs").focus();
};
