// Shows a served world and lets the user move it. Lengths are metres and angles radians, on the page millimetres and
// degrees. The server speaks the rosbridge protocol.
import { fromRows, multiply, perspective, scaling, transformed, translation, turned } from "./matrices.js";
import { Painter } from "./painter.js";

const element = (id) => document.getElementById(id);
const canvas = element("view");
const painter = new Painter(canvas);
const camera = { target: [0, 0, 0], distance: 2, azimuth: -0.9, elevation: 0.4, angle: 0.6 };
let scene = { items: [], joints: [], frames: [] };
let world = { items: [], positions: {} };
let selected = -1;
let line = null;
let framed = false;
const sliders = new Map();
const echoes = new Map();

// --- the connection

function connect() {
  line = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/${location.search}`);
  line.onopen = () => {
    say("connected");
    subscribe("/scene");
    subscribe("/poses", 30);
    call("/rosapi/topics", {}, showSensors);
  };
  line.onmessage = (event) => receive(JSON.parse(event.data));
  line.onclose = (event) => {
    say(`disconnected ${event.reason}; trying again`, true);
    setTimeout(connect, 500);
  };
}

const waiting = new Map();
let count = 0;
const send = (message) => line && line.readyState === WebSocket.OPEN && line.send(JSON.stringify(message));
const subscribe = (topic, throttle = 0) => send({ op: "subscribe", topic, throttle_rate: throttle });

function call(service, args, then) {
  const id = `call-${++count}`;
  if (then) waiting.set(id, then);
  send({ op: "call_service", id, service, args });
}

function receive(message) {
  if (message.op === "publish" && message.topic === "/scene") takeScene(message.msg);
  else if (message.op === "publish" && message.topic === "/poses") takePoses(message.msg);
  else if (message.op === "publish" && echoes.has(message.topic)) echoes.get(message.topic)(message.msg);
  else if (message.op === "status") say(message.msg, true);
  else if (message.op === "service_response") {
    if (!message.result) say(message.values, true);
    else if (waiting.has(message.id)) waiting.get(message.id)(message.values);
    waiting.delete(message.id);
  }
}

function say(text, bad = false) {
  element("status").textContent = text;
  element("status").classList.toggle("bad", bad);
}

// --- the world

const numbers = (text, Kind) => new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

function takeScene(fresh) {
  for (const item of scene.items) item.drawn.forEach((one) => painter.forget(one.mesh));
  scene = fresh;
  for (const item of scene.items)
    item.drawn = item.shapes.map((shape) => {
      const points = numbers(shape.points, Float32Array);
      return { points, mesh: painter.mesh(points, numbers(shape.corners, Uint32Array)), colour: shape.colour };
    });
  document.title = element("title").textContent = scene.name;
  selected = -1;
  makeSliders();
  document.body.dataset.scene = String(Number(document.body.dataset.scene || 0) + 1);
  refresh();
}

function takePoses(fresh) {
  world = fresh;
  element("clock").textContent = `${world.time.toFixed(2)} s`;
  element("play").textContent = world.paused ? "Play" : "Pause";
  for (const [name, slider] of sliders) slider.show(world.positions[name]);
  if (!framed && scene.items.length === world.items.length && scene.items.length) {
    framed = true;
    seeAll();
  }
  showSelected();
  refresh();
}

// --- the panel

const shown = (joint, value) => (joint.turns ? (value * 180) / Math.PI : value * 1000);
const meant = (joint, value) => (joint.turns ? (value * Math.PI) / 180 : value / 1000);

function makeSliders() {
  element("joints").replaceChildren();
  sliders.clear();
  for (const joint of scene.joints) {
    const label = document.createElement("label"), slider = document.createElement("input");
    const value = document.createElement("output");
    const whole = joint.turns ? Math.PI : 1;
    slider.type = "range";
    slider.name = joint.name;
    slider.step = "any";
    slider.min = shown(joint, joint.lower ?? -whole);
    slider.max = shown(joint, joint.upper ?? whole);
    let held = false, asked = null;
    const ask = () => {
      if (asked === null) return;
      call("/move_joints", { joints: { [joint.name]: asked } });
      asked = null;
    };
    slider.addEventListener("input", () => { held = true; asked = meant(joint, Number(slider.value)); });
    slider.addEventListener("change", () => { ask(); held = false; });
    label.append(joint.name, value, slider);
    element("joints").append(label);
    sliders.set(joint.name, {
      show(position) {
        ask();
        value.textContent = shown(joint, position).toFixed(1) + (joint.turns ? "°" : " mm");
        if (!held) slider.value = shown(joint, position);
      },
    });
  }
}

function showSelected() {
  const item = scene.items[selected], rows = world.items[selected];
  element("selected").textContent = item && rows
    ? `${item.name}: ${item.mass.toFixed(3)} kg at ${[3, 7, 11].map((n) => (1000 * rows[n]).toFixed(1)).join(", ")} mm`
    : "";
}

element("play").addEventListener("click", () => call("/pause", { data: !world.paused }));
element("reset").addEventListener("click", () => call("/reset", {}));
element("speed").addEventListener("change", (event) => call("/speed", { speed: Number(event.target.value) }));

// --- sensors: pictures in the panel, ranges in the view

const overlays = new Map();

function showSensors({ topics, types }) {
  topics.forEach((topic, number) => {
    if (types[number] === "sensor_msgs/Image") echoes.set(topic, pictureOf(topic));
    else if (types[number] === "sensor_msgs/LaserScan") echoes.set(topic, (scan) => overlays.set(topic, scanPoints(scan)));
    else return;
    subscribe(topic, 200);
  });
  if (echoes.size) subscribe("/tf", 100);
  echoes.set("/tf", takeFrames);
}

function pictureOf(topic) {
  const canvas = document.createElement("canvas"), title = document.createElement("h2");
  title.textContent = topic;
  element("sensors").append(title, canvas);
  return (message) => {
    const { width, height } = message;
    [canvas.width, canvas.height] = [width, height];
    const bytes = numbers(message.data, Uint8Array), context = canvas.getContext("2d");
    const picture = context.createImageData(width, height), depth = new Float32Array(bytes.buffer);
    for (let at = 0; at < width * height; at++) {
      const grey = message.encoding === "32FC1" ? 255 / (1 + depth[at]) : 0;
      for (let part = 0; part < 3; part++)
        picture.data[4 * at + part] = message.encoding === "rgb8" ? bytes[3 * at + part] : grey;
      picture.data[4 * at + 3] = 255;
    }
    context.putImageData(picture, 0, 0);
  };
}

function scanPoints(scan) {
  const points = [];
  scan.ranges.forEach((range, number) => {
    if (range === null) return;
    const angle = scan.angle_min + number * scan.angle_increment;
    points.push(range * Math.cos(angle), range * Math.sin(angle), 0);
  });
  return { frame: scan.header.frame_id, points };
}

const frames = new Map();

/** Where every frame is, from the chain of those that it hangs on. */
function takeFrames({ transforms }) {
  frames.clear();
  frames.set("world", scaling(1));
  for (const { header, child_frame_id: child, transform } of transforms) {
    const { x, y, z, w } = transform.rotation, at = transform.translation;
    const pose = [
      1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
      2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
      2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
      at.x, at.y, at.z, 1,
    ];
    if (frames.has(header.frame_id)) frames.set(child, multiply(frames.get(header.frame_id), pose));
  }
}

// --- the camera: it looks at a point from an azimuth about z and an elevation above the floor

function viewFromWorld() {
  const upright = multiply(turned(0, camera.elevation - Math.PI / 2), turned(2, -camera.azimuth - Math.PI / 2));
  return multiply(translation(0, 0, -camera.distance), multiply(upright, translation(...camera.target.map((x) => -x))));
}

function bounds() {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  scene.items.forEach((item, number) => {
    if (!world.items[number]) return;
    const pose = fromRows(world.items[number]);
    for (const { points } of item.drawn)
      for (let at = 0; at < points.length; at += 3)
        transformed(pose, points[at], points[at + 1], points[at + 2]).forEach((part, axis) => {
          low[axis] = Math.min(low[axis], part);
          high[axis] = Math.max(high[axis], part);
        });
  });
  return low[0] <= high[0] ? [low, high] : [[-0.5, -0.5, 0], [0.5, 0.5, 1]];
}

function seeAll() {
  const [low, high] = bounds();
  camera.target = low.map((part, axis) => (part + high[axis]) / 2);
  const radius = Math.max(Math.hypot(...low.map((part, axis) => high[axis] - part)) / 2, 1e-3);
  const narrow = Math.min(1, canvas.clientWidth / canvas.clientHeight);
  camera.distance = (1.05 * radius) / Math.sin(camera.angle / 2) / narrow;
}

function turn(right, up) {
  camera.azimuth -= right;
  camera.elevation = Math.min(Math.max(camera.elevation + up, -1.57), 1.57);
}

/** Move what is looked at across the picture, by pixels. */
function pan(right, down) {
  const view = viewFromWorld();
  const metres = (2 * camera.distance * Math.tan(camera.angle / 2)) / canvas.clientHeight;
  camera.target = camera.target.map((part, axis) => part - metres * (right * view[4 * axis] - down * view[4 * axis + 1]));
}

// --- drawing

const BACKGROUND = [0.125, 0.141, 0.172, 1];
const AXES = [[0.95, 0.3, 0.3, 1], [0.35, 0.85, 0.35, 1], [0.4, 0.55, 1, 1]];

const lens = () =>
  perspective(camera.angle, canvas.clientWidth / canvas.clientHeight, camera.distance / 100, camera.distance * 10);

function eachShape(view, visit) {
  scene.items.forEach((item, number) => {
    if (!world.items[number]) return;
    const pose = multiply(view, fromRows(world.items[number]));
    for (const one of item.drawn) visit(one, pose, number);
  });
}

function draw() {
  const view = viewFromWorld();
  painter.begin(lens(), BACKGROUND);
  painter.strokes(gridLines(), view, [0.33, 0.36, 0.42, 1]);
  eachShape(view, (one, pose, number) =>
    painter.draw(one.mesh, pose, number === selected ? [1, 0.75, 0.2, 1] : one.colour));
  const size = scaling(camera.distance / 20);
  for (const frame of scene.frames) {
    if (!world.items[frame.item]) continue;
    const pose = multiply(view, multiply(fromRows(world.items[frame.item]), fromRows(frame.pose)));
    AXES.forEach((colour, axis) =>
      painter.strokes([0, 0, 0, ...[0, 1, 2].map((n) => Number(n === axis))], multiply(pose, size), colour));
  }
  for (const { frame, points } of overlays.values())
    if (frames.has(frame) && points.length)
      painter.strokes(points, multiply(view, frames.get(frame)), [1, 0.3, 0.5, 1], true);
}

/** A floor of squares whose side is a power of ten metres. */
function gridLines() {
  const step = 10 ** Math.floor(Math.log10(camera.distance / 4)), reach = 10 * step;
  const [x, y] = [0, 1].map((axis) => step * Math.round(camera.target[axis] / step));
  const points = [];
  for (let at = -reach; at <= reach + step / 2; at += step) {
    points.push(x + at, y - reach, 0, x + at, y + reach, 0);
    points.push(x - reach, y + at, 0, x + reach, y + at, 0);
  }
  return points;
}

/** Select what is drawn at a point of the picture: everything is drawn once in a colour that tells its number. */
function select(x, y) {
  painter.begin(lens(), [0, 0, 0, 1]);
  eachShape(viewFromWorld(), (one, pose, number) =>
    painter.draw(one.mesh, pose, [((number + 1) & 255) / 255, ((number + 1) >> 8) / 255, 0, 1], 0));
  const [low, high] = painter.pixel(x, y);
  selected = low + 256 * high - 1;
  showSelected();
  refresh();
}

let drawing = false;

/** Draw again with the browser's next picture, once, however much has changed by then. */
function refresh() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; draw(); });
}

// --- mouse and keys

let moved = 0;
canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); moved = 0; });
canvas.addEventListener("pointermove", (event) => {
  if (!event.buttons) return;
  moved += Math.abs(event.movementX) + Math.abs(event.movementY);
  if (event.shiftKey || event.buttons !== 1) pan(event.movementX, event.movementY);
  else turn(event.movementX / 150, event.movementY / 150);
  refresh();
});
canvas.addEventListener("click", (event) => { if (moved < 4) select(event.offsetX, event.offsetY); });
canvas.addEventListener("dblclick", () => { seeAll(); refresh(); });
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  camera.distance *= Math.exp(event.deltaY / 600);
  refresh();
}, { passive: false });
const KEYS = {
  ArrowLeft: () => turn(-0.1, 0), ArrowRight: () => turn(0.1, 0), ArrowUp: () => turn(0, 0.1),
  ArrowDown: () => turn(0, -0.1), "+": () => (camera.distance /= 1.1), "-": () => (camera.distance *= 1.1),
  " ": () => call("/pause", { data: !world.paused }),
};
canvas.addEventListener("keydown", (event) => {
  if (!(event.key in KEYS)) return;
  event.preventDefault();
  KEYS[event.key]();
  refresh();
});
addEventListener("resize", refresh);

connect();
