// Shows a served world and lets the user move it. Lengths are metres and angles radians, on the page millimetres and
// degrees. The server speaks the rosbridge protocol.
import { bounds, fromRows, multiply, numbers, scaling } from "./matrices.js";
import { BACKGROUND, GRID, Painter } from "./painter.js";
import { Orbit } from "./orbit.js";
import { jointSlider } from "./sliders.js";

const element = (id) => document.getElementById(id);
const canvas = element("view");
const painter = new Painter(canvas);
const orbit = new Orbit(canvas);
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
    subscribe("/view");
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
  else if (message.op === "publish" && message.topic === "/view") takeView(message.msg);
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

/** Another program asks everybody to look from somewhere: at all there is, or at a place. */
function takeView({ azimuth, elevation, target, distance }) {
  Object.assign(orbit, { azimuth, elevation });
  if (target.length) Object.assign(orbit, { target, distance });
  else seeAll();
  refresh();
}

// --- the panel

function makeSliders() {
  element("joints").replaceChildren();
  sliders.clear();
  for (const joint of scene.joints) {
    const slider = jointSlider(joint);
    let held = false, asked = null;
    const ask = () => {
      if (asked === null) return;
      call("/move_joints", { joints: { [joint.name]: asked } });
      asked = null;
    };
    slider.input.addEventListener("input", () => { held = true; asked = slider.at(); });
    slider.input.addEventListener("change", () => { ask(); held = false; });
    element("joints").append(slider.element);
    sliders.set(joint.name, {
      show(position) {
        ask();
        slider.show(position, !held);
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

// --- sensors: pictures in the panel; what scanners meet as dots in the view, other distances as lines

const overlays = new Map();

function showSensors({ topics, types }) {
  topics.forEach((topic, number) => {
    if (types[number] === "sensor_msgs/Image") echoes.set(topic, pictureOf(topic));
    else if (types[number] === "sensor_msgs/LaserScan")
      echoes.set(topic, (scan) => overlays.set(topic, scanPoints(scan)));
    else if (types[number] === "sensor_msgs/PointCloud2")
      echoes.set(topic, (cloud) => overlays.set(topic, cloudPoints(cloud)));
    else if (types[number] === "sensor_msgs/Range")
      echoes.set(topic, ({ header, range }) =>
        overlays.set(topic, { frame: header.frame_id, points: range === null ? [] : [0, 0, 0, range, 0, 0], lines: true }));
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

function cloudPoints(cloud) {
  const all = numbers(cloud.data, Float32Array), points = [];
  for (let at = 0; at < all.length; at += 3)
    if (!Number.isNaN(all[at])) points.push(all[at], all[at + 1], all[at + 2]);
  return { frame: cloud.header.frame_id, points };
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

// --- drawing

/** Every shape with its pose, seen from where `view` says, and the number of its item. */
function* shapes(view) {
  for (const [number, item] of scene.items.entries()) {
    if (!world.items[number]) continue;
    const pose = multiply(view, fromRows(world.items[number]));
    for (const one of item.drawn)
      yield { ...one, pose, number, colour: number === selected ? [1, 0.75, 0.2, 1] : one.colour };
  }
}

const seeAll = () => orbit.see(bounds(shapes(scaling(1))));

function draw() {
  const view = orbit.viewFromWorld();
  painter.begin(orbit.clipFromView(), BACKGROUND);
  painter.strokes(orbit.grid(), view, GRID);
  painter.drawAll([...shapes(view)]);
  for (const frame of scene.frames)
    if (world.items[frame.item])
      painter.axes(
        multiply(view, multiply(fromRows(world.items[frame.item]), fromRows(frame.pose))), orbit.distance / 20);
  for (const { frame, points, lines } of overlays.values())
    if (frames.has(frame) && points.length)
      painter.strokes(points, multiply(view, frames.get(frame)), [1, 0.3, 0.5, 1], !lines);
}

/** Select what is drawn at a point of the picture: everything is drawn once in a colour that tells its number. */
function select(x, y) {
  painter.begin(orbit.clipFromView(), [0, 0, 0, 1]);
  for (const { mesh, pose, number } of shapes(orbit.viewFromWorld()))
    painter.draw(mesh, pose, [((number + 1) & 255) / 255, ((number + 1) >> 8) / 255, 0, 1], 0);
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

orbit.listen({ refresh, seeAll, click: select, keys: { " ": () => call("/pause", { data: !world.paused }) } });
connect();
