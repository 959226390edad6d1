// Elements that hold text alone: nothing that comes from elsewhere is ever read as HTML.

export function made(tag, text = "") {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

export function classed(tag, name, text = "") {
  const element = made(tag, text);
  element.className = name;
  return element;
}
