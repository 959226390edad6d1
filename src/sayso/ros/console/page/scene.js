// The observed things as points and boxes, drawn on a canvas, far ones first.

const EDGES = [[0, 1], [0, 2], [0, 4], [1, 3], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 6], [5, 7], [6, 7]];
const FACES = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
const TURN = Math.PI / 24;
const [NEAR, RESTS] = [25, 6];  // [pixels] to take hold of the gripper; at which it is where it is pulled

export class SceneView {
  constructor(canvas) {
    this.canvas = canvas;
    this.turn = 0.3;  // from behind the robot, so that what it calls left is on the left
    this.tilt = 0.7;
    this.scene = null;
    this.meant = new Set();
    this.pulls = false;  // whether a pull at the gripper leads it
    this.onPull = () => {};
    this.pulled = null;  // the pointer's place while it pulls
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("pointerdown", (event) => this.#grab(event));
    canvas.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
      canvas.addEventListener(end, () => this.#letGo());
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  show(scene) { this.scene = this.canvas.scene = scene; this.draw(); }
  mean(names) { this.meant = new Set(names); this.draw(); }

  draw() {
    const pixels = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = width * pixels;
    this.canvas.height = height * pixels;
    const pen = this.canvas.getContext("2d");
    pen.scale(pixels, pixels);
    if (!this.scene || !this.scene.things.length || !width) return;
    const look = this.look = this.#projection(width, height);
    const boxes = this.scene.things.map((thing) => ({ thing, at: thing.corners.map(look), points: thing.points.map(look) }));
    const depth = (box) => Math.max(...box.at.map((p) => p[2]));
    boxes.sort((a, b) => depth(b) - depth(a));
    for (const box of boxes) this.#box(pen, box);
    for (const box of boxes) this.#name(pen, box);
    this.gripper = look(this.scene.gripper.at);
    this.canvas.dataset.gripper = this.gripper.slice(0, 2).join(" ");  // for who cannot see it
    this.#gripper(pen, this.gripper);
    if (this.pulled) this.#pull(pen);
  }

  // Parallel projection that fits everything: [x, y, depth] on the canvas.
  #projection(width, height) {
    const points = this.scene.things.flatMap((t) => t.corners).concat([this.scene.gripper.at]);
    const [c, s, ct, st] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const flat = ([x, y, z]) => {
      const [across, away] = [s * x - c * y, c * x + s * y];
      return [across, -(ct * z + st * away), ct * away - st * z];
    };
    const seen = points.map(flat);
    const range = (i) => [Math.min(...seen.map((p) => p[i])), Math.max(...seen.map((p) => p[i]))];
    const [[left, right], [top, bottom]] = [range(0), range(1)];
    const margin = 45;
    const scale = Math.min((width - 2 * margin) / (right - left || 1), (height - 2 * margin) / (bottom - top || 1));
    return (point) => {
      const [x, y, away] = flat(point);
      return [width / 2 + (x - (left + right) / 2) * scale, height / 2 + (y - (top + bottom) / 2) * scale, away];
    };
  }

  #box(pen, { thing, at, points }) {
    const meant = this.meant.has(thing.name);
    const color = CSS.supports("color", thing.color) ? thing.color : "#9aa4ae";
    pen.fillStyle = color;
    pen.globalAlpha = thing.visible ? 0.9 : 0.3;
    for (const [x, y] of points) pen.fillRect(x - 1.5, y - 1.5, 3, 3);
    pen.globalAlpha = (thing.visible ? 0.55 : 0.15) * (points.length ? 0.3 : 1);
    for (const face of FACES) {
      pen.beginPath();
      face.forEach((i) => pen.lineTo(at[i][0], at[i][1]));
      pen.fill();
    }
    pen.globalAlpha = 1;
    pen.strokeStyle = meant ? "#0a4ea3" : "#57606a";
    pen.lineWidth = meant ? 3 : 1;
    pen.setLineDash(thing.visible ? [] : [4, 3]);
    pen.beginPath();
    for (const [a, b] of EDGES) {
      pen.moveTo(at[a][0], at[a][1]);
      pen.lineTo(at[b][0], at[b][1]);
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  #name(pen, { thing, at }) {
    const meant = this.meant.has(thing.name);
    const x = at.reduce((sum, p) => sum + p[0], 0) / at.length;
    const y = Math.min(...at.map((p) => p[1])) - 6;
    pen.font = `${meant ? "bold " : ""}13px system-ui, sans-serif`;
    pen.textAlign = "center";
    const words = spoken(thing.name) + (thing.carried ? " (held)" : "");
    pen.lineWidth = 4;
    pen.strokeStyle = "#eef1f4";
    pen.strokeText(words, x, y);
    pen.fillStyle = meant ? "#0a4ea3" : "#1b1f24";
    pen.fillText(words, x, y);
  }

  // A cross, and the line along which its fingers close, as wide as they are open.
  #gripper(pen, [x, y]) {
    const { at, turned, width } = this.scene.gripper;
    const finger = (side) => this.look([at[0] - side * Math.sin(turned) * width / 2, at[1] + side * Math.cos(turned) * width / 2, at[2]]);
    const [one, other] = [finger(1), finger(-1)];
    pen.strokeStyle = "#a40e26";
    pen.lineWidth = 4;
    pen.beginPath();
    pen.moveTo(one[0], one[1]); pen.lineTo(other[0], other[1]);
    pen.stroke();
    pen.strokeStyle = "#1b1f24";
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(x - 8, y); pen.lineTo(x + 8, y); pen.moveTo(x, y - 8); pen.lineTo(x, y + 8);
    pen.stroke();
    pen.font = "13px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.fillStyle = "#57606a";
    pen.fillText("gripper", x + 11, y + 4);
  }

  #key(event) {
    const by = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, TURN], ArrowDown: [0, -TURN] }[event.key];
    if (!by) return;
    event.preventDefault();
    this.#rotate(...by);
  }

  #grab(event) {
    if (!this.pulls || !this.gripper) return;
    const [x, y] = this.gripper;
    if (Math.hypot(event.offsetX - x, event.offsetY - y) > NEAR) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.pulled = [event.offsetX, event.offsetY];
  }

  #letGo() {
    if (!this.pulled) return;
    this.pulled = null;
    this.onPull(null);
    this.draw();
  }

  // The farther the pointer is from the gripper, the faster it follows, in the picture's plane.
  #pull(pen) {
    const [dx, dy] = [this.pulled[0] - this.gripper[0], this.pulled[1] - this.gripper[1]];
    pen.strokeStyle = "#0a4ea3";
    pen.beginPath();
    pen.moveTo(this.gripper[0], this.gripper[1]);
    pen.lineTo(this.pulled[0], this.pulled[1]);
    pen.stroke();
    const [c, s, ct, st] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const [right, up] = [[s, -c, 0], [st * c, st * s, ct]];
    const far = Math.max(NEAR * 4, Math.hypot(dx, dy));
    const rests = Math.hypot(dx, dy) < RESTS;
    this.onPull(right.map((r, i) => (rests ? 0 : (r * dx - up[i] * dy) / far)));
  }

  #drag(event) {
    if (this.pulled) {
      this.pulled = [event.offsetX, event.offsetY];
      this.draw();
    } else if (event.buttons & 1) this.#rotate(event.movementX / 150, event.movementY / 150);
  }

  #rotate(turn, tilt) {
    this.turn += turn;
    this.tilt = Math.min(1.5, Math.max(0.05, this.tilt + tilt));
    this.draw();
  }
}

export const spoken = (name) => name.replaceAll("_", " ");
