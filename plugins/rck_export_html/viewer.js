// Shows the robot that the page holds as JSON, and moves its joints. Matrices are 16 numbers, column by column, for
// column vectors; lengths are metres and angles radians, except on the page, which has millimetres and degrees.
"use strict";

const scene = JSON.parse(document.getElementById("scene").textContent);
const positions = scene.joints.map((joint) => joint.position);

// --- matrices and vectors

const identity = () => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

function multiply(a, b) {
  const product = new Array(16);
  for (let column = 0; column < 16; column += 4)
    for (let row = 0; row < 4; row++)
      product[column + row] =
        a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
  return product;
}

function translation(x, y, z) {
  const matrix = identity();
  matrix.splice(12, 3, x, y, z);
  return matrix;
}

/** Rodrigues' formula; the axis has length one. */
function rotation([x, y, z], angle) {
  const c = Math.cos(angle), s = Math.sin(angle), k = 1 - c;
  return [
    c + x * x * k, y * x * k + z * s, z * x * k - y * s, 0,
    x * y * k - z * s, c + y * y * k, z * y * k + x * s, 0,
    x * z * k + y * s, y * z * k - x * s, c + z * z * k, 0,
    0, 0, 0, 1,
  ];
}

function transformed(m, [x, y, z]) {
  return [0, 1, 2].map((row) => m[row] * x + m[row + 4] * y + m[row + 8] * z + m[row + 12]);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), depth = near - far;
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / depth, -1, 0, 0, (2 * far * near) / depth, 0];
}

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
      const turns = scene.joints[link.joint].turns;
      pose = multiply(pose, turns ? rotation(axis, at) : translation(...axis.map((part) => part * at)));
    }
    world.push(pose);
  }
  return world;
}

function numbers(text, Kind) {
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

const meshes = scene.meshes.map((mesh) => ({
  points: numbers(mesh.points, Float32Array),
  corners: numbers(mesh.corners, Uint32Array),
}));

/** The box round everything, as two corners. */
function bounds() {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const world = worldFromLinks();
  for (const one of scene.drawn) {
    const pose = multiply(world[one.link], one.pose), points = meshes[one.mesh].points;
    for (let at = 0; at < points.length; at += 3)
      transformed(pose, points.subarray(at, at + 3)).forEach((part, axis) => {
        low[axis] = Math.min(low[axis], part);
        high[axis] = Math.max(high[axis], part);
      });
  }
  return low[0] <= high[0] ? [low, high] : [[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]];
}

// --- the camera: it looks at a point from an azimuth about z and an elevation above the floor

const canvas = document.getElementById("view");
const camera = { target: [0, 0, 0], distance: 1, azimuth: -0.9, elevation: 0.4, angle: 0.6 };

function seeAll() {
  const [low, high] = bounds();
  camera.target = low.map((part, axis) => (part + high[axis]) / 2);
  const radius = Math.max(Math.hypot(...low.map((part, axis) => high[axis] - part)) / 2, 1e-3);
  const narrow = Math.min(1, canvas.clientWidth / canvas.clientHeight);
  camera.distance = (1.05 * radius) / Math.sin(camera.angle / 2) / narrow;
}

function viewFromWorld() {
  const upright = rotation([1, 0, 0], camera.elevation - Math.PI / 2);
  const turned = multiply(upright, rotation([0, 0, 1], -camera.azimuth - Math.PI / 2));
  const moved = multiply(turned, translation(...camera.target.map((part) => -part)));
  return multiply(translation(0, 0, -camera.distance), moved);
}

function turn(right, up) {
  camera.azimuth -= right;
  camera.elevation = Math.min(Math.max(camera.elevation + up, -1.57), 1.57);
}

/** Move what is looked at across the picture, by pixels. */
function pan(right, down) {
  const view = viewFromWorld();
  const metres = (2 * camera.distance * Math.tan(camera.angle / 2)) / canvas.clientHeight;
  camera.target = camera.target.map(
    (part, axis) => part - metres * (right * view[4 * axis] - down * view[4 * axis + 1]));
}

// --- drawing

const VERTEX = `#version 300 es
uniform mat4 clip_from_view, view_from_model;
in vec3 point;
out vec3 seen;
void main() {
  vec4 at = view_from_model * vec4(point, 1.0);
  seen = at.xyz;
  gl_Position = clip_from_view * at;
}`;

// Faces are flat: their normal is that of the surface from pixel to pixel.
const FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 colour;
uniform float shaded;
in vec3 seen;
out vec4 pixel;
void main() {
  vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
  float light = 0.3 + 0.7 * max(dot(normal, normalize(vec3(-0.35, 0.55, 0.75))), 0.0);
  pixel = vec4(colour.rgb * mix(1.0, light, shaded), colour.a);
}`;

const gl = canvas.getContext("webgl2", { antialias: true });
const program = gl && compiled();
const lines = gl && { grid: gl.createBuffer(), count: 0, axes: gl.createBuffer() };

function compiled() {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.bindAttribLocation(made, 0, "point");
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  gl.useProgram(made);
  gl.enableVertexAttribArray(0);
  const place = (name) => gl.getUniformLocation(made, name);
  const [clip, model] = [place("clip_from_view"), place("view_from_model")];
  return { clip, model, colour: place("colour"), shaded: place("shaded") };
}

function upload() {
  for (const mesh of meshes) {
    mesh.pointBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.pointBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, mesh.points, gl.STATIC_DRAW);
    mesh.cornerBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.cornerBuffer);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, mesh.corners, gl.STATIC_DRAW);
  }
  const grid = gridLines();
  lines.count = grid.length / 3;
  gl.bindBuffer(gl.ARRAY_BUFFER, lines.grid);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(grid), gl.STATIC_DRAW);
  gl.bindBuffer(gl.ARRAY_BUFFER, lines.axes);
  const axes = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1];
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(axes), gl.STATIC_DRAW);
}

/** A floor of squares whose side is a power of ten metres, under the robot. */
function gridLines() {
  const [low, high] = bounds();
  const size = Math.max(...low.map((part, axis) => high[axis] - part), 1e-3);
  const step = 10 ** Math.floor(Math.log10(size / 2)), reach = step * Math.ceil(size / step);
  const [x, y] = [0, 1].map((axis) => step * Math.round((low[axis] + high[axis]) / 2 / step));
  const z = Math.min(low[2], 0), points = [];
  for (let at = -reach; at <= reach + step / 2; at += step) {
    points.push(x + at, y - reach, z, x + at, y + reach, z);
    points.push(x - reach, y + at, z, x + reach, y + at, z);
  }
  return points;
}

function draw() {
  const width = Math.round(canvas.clientWidth * devicePixelRatio);
  const height = Math.round(canvas.clientHeight * devicePixelRatio);
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  gl.viewport(0, 0, width, height);
  gl.clearColor(0.125, 0.141, 0.172, 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  const view = viewFromWorld(), world = worldFromLinks();
  const clip = perspective(camera.angle, width / height, camera.distance / 100, camera.distance * 10);
  gl.uniformMatrix4fv(program.clip, false, clip);
  gl.uniform1f(program.shaded, 0);
  drawLines(lines.grid, 0, lines.count, view, [0.33, 0.36, 0.42, 1]);
  const size = camera.distance / 20;
  for (const frame of scene.frames) {
    const pose = multiply(view, multiply(world[frame.link], frame.pose));
    const model = multiply(pose, [size, 0, 0, 0, 0, size, 0, 0, 0, 0, size, 0, 0, 0, 0, 1]);
    [[0.95, 0.3, 0.3, 1], [0.35, 0.85, 0.35, 1], [0.4, 0.55, 1, 1]].forEach((colour, axis) =>
      drawLines(lines.axes, 2 * axis, 2, model, colour));
  }
  gl.uniform1f(program.shaded, 1);
  for (const clear of [false, true]) {
    // What can be seen through comes last and hides nothing.
    gl.depthMask(!clear);
    for (const one of scene.drawn) {
      if (one.colour[3] < 1 !== clear) continue;
      const mesh = meshes[one.mesh];
      gl.bindBuffer(gl.ARRAY_BUFFER, mesh.pointBuffer);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.cornerBuffer);
      gl.uniformMatrix4fv(program.model, false, multiply(view, multiply(world[one.link], one.pose)));
      gl.uniform4fv(program.colour, one.colour);
      gl.drawElements(gl.TRIANGLES, mesh.corners.length, gl.UNSIGNED_INT, 0);
    }
  }
  gl.depthMask(true);
}

function drawLines(buffer, first, count, model, colour) {
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  gl.uniformMatrix4fv(program.model, false, model);
  gl.uniform4fv(program.colour, colour);
  gl.drawArrays(gl.LINES, first, count);
}

let waiting = false;

/** Draw again with the browser's next picture, once, however much has changed by then. */
function refresh() {
  showFrames();
  if (!gl || waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

// --- the page: sliders, and where the frames are

const shown = (joint, value) => (joint.turns ? (value * 180) / Math.PI : value * 1000);
const meant = (joint, value) => (joint.turns ? (value * Math.PI) / 180 : value / 1000);
const sliders = [];

function addSliders() {
  scene.joints.forEach((joint, number) => {
    if (joint.leader !== undefined) return;
    const label = document.createElement("label"), slider = document.createElement("input");
    const value = document.createElement("output");
    const whole = joint.turns ? Math.PI : 1;
    slider.type = "range";
    slider.name = joint.name;
    slider.step = "any";
    slider.min = shown(joint, joint.lower ?? -whole);
    slider.max = shown(joint, joint.upper ?? whole);
    const show = () => {
      slider.value = shown(joint, positions[number]);
      value.textContent = shown(joint, positions[number]).toFixed(1) + (joint.turns ? "°" : " mm");
    };
    slider.addEventListener("input", () => {
      positions[number] = meant(joint, Number(slider.value));
      show();
      refresh();
    });
    label.append(joint.name, value, slider);
    document.getElementById("joints").append(label);
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

function listen() {
  canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    if (event.shiftKey || event.buttons !== 1) pan(event.movementX, event.movementY);
    else turn(event.movementX / 150, event.movementY / 150);
    refresh();
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => { seeAll(); refresh(); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.distance *= Math.exp(event.deltaY / 600);
    refresh();
  }, { passive: false });
  const keys = {
    ArrowLeft: () => turn(-0.1, 0), ArrowRight: () => turn(0.1, 0), ArrowUp: () => turn(0, 0.1),
    ArrowDown: () => turn(0, -0.1), "+": () => (camera.distance /= 1.1), "-": () => (camera.distance *= 1.1),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
    refresh();
  });
  addEventListener("resize", refresh);
  addEventListener("hashchange", readAddress);
}

addSliders();
if (gl) {
  upload();
  listen();
} else {
  document.getElementById("hint").textContent = "This browser has no WebGL 2, which the 3D view needs.";
}
readAddress();
seeAll();
