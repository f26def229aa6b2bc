// A camera that looks at a point from an azimuth about z and an elevation above the floor, and the mouse and keys that
// move it.
import { multiply, perspective, rotation, translation } from "./matrices.js";

export class Orbit {
  constructor(canvas) {
    this.canvas = canvas;
    this.target = [0, 0, 0];
    this.distance = 2;
    this.azimuth = -0.9;
    this.elevation = 0.4;
    this.angle = 0.6;
  }

  viewFromWorld() {
    const upright = rotation([1, 0, 0], this.elevation - Math.PI / 2);
    const turned = multiply(upright, rotation([0, 0, 1], -this.azimuth - Math.PI / 2));
    const moved = multiply(turned, translation(...this.target.map((part) => -part)));
    return multiply(translation(0, 0, -this.distance), moved);
  }

  clipFromView() {
    const aspect = this.canvas.clientWidth / this.canvas.clientHeight;
    return perspective(this.angle, aspect, this.distance / 100, this.distance * 10);
  }

  /** So far away that all of a box is seen; where there is none, something of a metre. */
  see(box) {
    const [low, high] = box ?? [[-0.5, -0.5, 0], [0.5, 0.5, 1]];
    this.target = low.map((part, axis) => (part + high[axis]) / 2);
    const radius = Math.max(Math.hypot(...low.map((part, axis) => high[axis] - part)) / 2, 1e-3);
    const narrow = Math.min(1, this.canvas.clientWidth / this.canvas.clientHeight);
    this.distance = (1.05 * radius) / Math.sin(this.angle / 2) / narrow;
  }

  turn(right, up) {
    this.azimuth -= right;
    this.elevation = Math.min(Math.max(this.elevation + up, -1.57), 1.57);
  }

  /** Move what is looked at across the picture, by pixels. */
  pan(right, down) {
    const view = this.viewFromWorld();
    const metres = (2 * this.distance * Math.tan(this.angle / 2)) / this.canvas.clientHeight;
    this.target = this.target.map(
      (part, axis) => part - metres * (right * view[4 * axis] - down * view[4 * axis + 1]));
  }

  zoom(factor) {
    this.distance *= factor;
  }

  /** A floor of squares whose side is a power of ten metres, at a height. */
  grid(height = 0) {
    const step = 10 ** Math.floor(Math.log10(this.distance / 4)), reach = 10 * step;
    const [x, y] = [0, 1].map((axis) => step * Math.round(this.target[axis] / step));
    const points = [];
    for (let at = -reach; at <= reach + step / 2; at += step) {
      points.push(x + at, y - reach, height, x + at, y + reach, height);
      points.push(x - reach, y + at, height, x + reach, y + at, height);
    }
    return points;
  }

  /** Follow mouse and keys: `refresh` after every move, `seeAll` on a double click, `click` where nothing was dragged. */
  listen({ refresh, seeAll, click = () => {}, keys = {} }) {
    const canvas = this.canvas;
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); moved = 0; });
    canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      moved += Math.abs(event.movementX) + Math.abs(event.movementY);
      if (event.shiftKey || event.buttons !== 1) this.pan(event.movementX, event.movementY);
      else this.turn(event.movementX / 150, event.movementY / 150);
      refresh();
    });
    canvas.addEventListener("click", (event) => { if (moved < 4) click(event.offsetX, event.offsetY); });
    canvas.addEventListener("dblclick", () => { seeAll(); refresh(); });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY / 600));
      refresh();
    }, { passive: false });
    const known = {
      ArrowLeft: () => this.turn(-0.1, 0), ArrowRight: () => this.turn(0.1, 0), ArrowUp: () => this.turn(0, 0.1),
      ArrowDown: () => this.turn(0, -0.1), "+": () => this.zoom(1 / 1.1), "-": () => this.zoom(1.1), ...keys,
    };
    canvas.addEventListener("keydown", (event) => {
      if (!(event.key in known)) return;
      event.preventDefault();
      known[event.key]();
      refresh();
    });
    addEventListener("resize", refresh);
  }
}
