// What the robot was taught to do: each skill, how often it was shown and failed, and its pictures.

import { made } from "./elements.js";

const the = (id) => document.getElementById(id);
const below = (path) => new URL(`taught${path}`, location.href);

export async function listTaught() {
  const reply = await fetch(below("")).catch(() => null);
  if (!reply?.ok) return the("taught").replaceChildren(made("li", "The console could not be reached."));
  const skills = await reply.json();
  the("taught").replaceChildren(...skills.map(listed));
  if (!skills.length) the("taught").append(made("li", "Nobody has shown it a skill yet."));
}

// What a question about a skill says was tried out, as a picture beside it.
export function showTried(question) {
  const name = /tried_out[/]([a-z0-9_]+)[.]png/.exec(question)?.[1];
  const image = the("tried");
  image.hidden = !name;
  if (!name || image.dataset.question === question) return;
  image.dataset.question = question;
  image.src = `${new URL(`tried_out/${name}.png`, location.href)}?${Date.now()}`;
}

function listed({ name, words, shown, failed, pictures }) {
  const item = made("li", `${words || "cannot be read"} (${name}): shown ${shown} times, failed ${failed} times`);
  item.append(...pictures.map((file) => picture(name, file)));
  return item;
}

function picture(name, file) {
  const words = `${name}, ${file.replace(/_|\.png$/g, " ").trim()}`;
  const figure = made("figure");
  const image = made("img");
  image.src = below(`/${encodeURIComponent(name)}/${encodeURIComponent(file)}`);
  image.alt = words;
  image.loading = "lazy";
  figure.append(image, made("figcaption", words));
  return figure;
}
