// Shows the robot that the page holds as JSON, and moves its joints. Lengths are metres and angles radians, except on the
// page, which has millimetres and degrees.
import { bounds, multiply, numbers, rotation, scaling, translation } from "./matrices.js";
import { BACKGROUND, GRID, Painter } from "./painter.js";
import { Orbit } from "./orbit.js";
import { jointSlider, meant } from "./sliders.js";

const scene = JSON.parse(document.getElementById("scene").textContent);
const positions = scene.joints.map((joint) => joint.position);

// --- where everything is

function positionOf(number) {
  const joint = scene.joints[number];
  return joint.leader === undefined ? positions[number] : joint.ratio * positions[joint.leader] + joint.offset;
}

/** World from link, for every link; a link comes after the one that it hangs on. */
function worldFromLinks() {
  const world = [];
  for (const link of scene.links) {
    let pose = link.parent === null ? link.pose : multiply(world[link.parent], link.pose);
    if (link.joint !== null) {
      const at = positionOf(link.joint), axis = link.axis;
      if (scene.joints[link.joint].turns) {
        const there = translation(...link.anchor), back = translation(...link.anchor.map((part) => -part));
        pose = multiply(pose, multiply(there, multiply(rotation(axis, at), back)));
      } else {
        pose = multiply(pose, translation(...axis.map((part) => part * at)));
      }
    }
    world.push(pose);
  }
  return world;
}

const meshes = scene.meshes.map((mesh) => ({
  points: numbers(mesh.points, Float32Array),
  corners: numbers(mesh.corners, Uint32Array),
}));

// --- drawing

const canvas = document.getElementById("view");
const orbit = new Orbit(canvas);
const painter = makePainter();

function makePainter() {
  try {
    const made = new Painter(canvas);
    for (const mesh of meshes) mesh.mesh = made.mesh(mesh.points, mesh.corners);
    return made;
  } catch (error) {
    document.getElementById("hint").textContent = error.message;
    return null;
  }
}

/** Every shape with its pose, seen from where `view` says. */
function shapes(view) {
  const world = worldFromLinks();
  return scene.drawn.map((one) => ({
    ...meshes[one.mesh], colour: one.colour, pose: multiply(view, multiply(world[one.link], one.pose)),
  }));
}

const seeAll = () => orbit.see(bounds(shapes(scaling(1))));
const floor = Math.min(bounds(shapes(scaling(1)))?.[0][2] ?? 0, 0);

function draw() {
  const view = orbit.viewFromWorld(), world = worldFromLinks();
  painter.begin(orbit.clipFromView(), BACKGROUND);
  painter.strokes(orbit.grid(floor), view, GRID);
  for (const frame of scene.frames)
    painter.axes(multiply(view, multiply(world[frame.link], frame.pose)), orbit.distance / 20);
  painter.drawAll(shapes(view));
}

let waiting = false;

/** Draw again with the browser's next picture, once, however much has changed by then. */
function refresh() {
  showFrames();
  if (!painter || waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

// --- the page: sliders, and where the frames are

const sliders = [];

function addSliders() {
  scene.joints.forEach((joint, number) => {
    if (joint.leader !== undefined) return;
    const slider = jointSlider(joint), show = () => slider.show(positions[number]);
    slider.input.addEventListener("input", () => {
      positions[number] = slider.at();
      show();
      refresh();
    });
    document.getElementById("joints").append(slider.element);
    sliders.push(show);
    show();
  });
}

function showFrames() {
  const world = worldFromLinks(), table = document.getElementById("frames");
  if (!table.rows.length && scene.frames.length) {
    table.innerHTML = "<tr><th>frame or device</th><th>x, mm</th><th>y, mm</th><th>z, mm</th></tr>";
    for (const frame of scene.frames) {
      const row = table.insertRow();
      row.insertCell().textContent = frame.name;
      for (let axis = 0; axis < 3; axis++) row.insertCell();
    }
  }
  scene.frames.forEach((frame, number) => {
    const pose = multiply(world[frame.link], frame.pose);
    for (let axis = 0; axis < 3; axis++)
      table.rows[number + 1].cells[axis + 1].textContent = (1000 * pose[12 + axis]).toFixed(3);
  });
}

/** `page.html#shoulder=45&lift=120` opens the page with these joints at so many degrees or millimetres. */
function readAddress() {
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    const number = scene.joints.findIndex((joint) => joint.name === name && joint.leader === undefined);
    if (number >= 0 && Number.isFinite(Number(value))) positions[number] = meant(scene.joints[number], Number(value));
  }
  sliders.forEach((show) => show());
  refresh();
}

addSliders();
if (painter) orbit.listen({ refresh, seeAll });
addEventListener("hashchange", readAddress);
readAddress();
seeAll();
