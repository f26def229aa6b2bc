// Draws meshes and lines with WebGL 2, and tells the colour of a pixel.

const VERTEX = `#version 300 es
uniform mat4 clip_from_view, view_from_model;
in vec3 point;
out vec3 seen;
void main() {
  vec4 at = view_from_model * vec4(point, 1.0);
  seen = at.xyz;
  gl_Position = clip_from_view * at;
  gl_PointSize = 4.0;
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

export const BACKGROUND = [0.125, 0.141, 0.172, 1], GRID = [0.33, 0.36, 0.42, 1];
const AXES = [[0.95, 0.3, 0.3, 1], [0.35, 0.85, 0.35, 1], [0.4, 0.55, 1, 1]];

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    // The picture is kept so that it can be saved as well as seen.
    const gl = (this.gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true }));
    if (!gl) throw new Error("This browser has no WebGL 2, which the view needs.");
    const program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.bindAttribLocation(program, 0, "point");
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    gl.enableVertexAttribArray(0);
    this.place = Object.fromEntries(["clip_from_view", "view_from_model", "colour", "shaded"]
      .map((name) => [name, gl.getUniformLocation(program, name)]));
    this.scratch = gl.createBuffer();
  }

  mesh(points, corners) {
    const gl = this.gl, made = { points: gl.createBuffer(), corners: gl.createBuffer(), count: corners.length };
    gl.bindBuffer(gl.ARRAY_BUFFER, made.points);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, made.corners);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    return made;
  }

  forget(mesh) {
    this.gl.deleteBuffer(mesh.points);
    this.gl.deleteBuffer(mesh.corners);
  }

  begin(clipFromView, background) {
    const gl = this.gl, canvas = this.canvas;
    const width = Math.round(canvas.clientWidth * devicePixelRatio);
    const height = Math.round(canvas.clientHeight * devicePixelRatio);
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniformMatrix4fv(this.place.clip_from_view, false, clipFromView);
  }

  /** Shapes, each a mesh with its `pose` seen from the camera and its colour. */
  drawAll(shapes) {
    // What can be seen through comes last and hides nothing.
    for (const clear of [false, true]) {
      this.gl.depthMask(!clear);
      for (const { mesh, pose, colour } of shapes) if (colour[3] < 1 === clear) this.draw(mesh, pose, colour);
    }
    this.gl.depthMask(true);
  }

  draw(mesh, viewFromModel, colour, shaded = 1) {
    const gl = this.gl;
    gl.uniform1f(this.place.shaded, shaded);
    gl.uniform4fv(this.place.colour, colour);
    gl.uniformMatrix4fv(this.place.view_from_model, false, viewFromModel);
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.points);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.corners);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
  }

  /** Pairs of points are lines; with `dots`, each is a dot. */
  strokes(numbers, viewFromModel, colour, dots = false) {
    const gl = this.gl;
    gl.uniform1f(this.place.shaded, 0);
    gl.uniform4fv(this.place.colour, colour);
    gl.uniformMatrix4fv(this.place.view_from_model, false, viewFromModel);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.scratch);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STREAM_DRAW);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.drawArrays(dots ? gl.POINTS : gl.LINES, 0, numbers.length / 3);
  }

  /** Three axes of a frame, so long as it says. */
  axes(viewFromFrame, length) {
    AXES.forEach((colour, axis) =>
      this.strokes([0, 0, 0, ...[0, 1, 2].map((n) => (n === axis ? length : 0))], viewFromFrame, colour));
  }

  /** The colour of a pixel of the canvas, as bytes. */
  pixel(x, y) {
    const gl = this.gl, found = new Uint8Array(4);
    const column = Math.round(x * devicePixelRatio), row = this.canvas.height - 1 - Math.round(y * devicePixelRatio);
    gl.readPixels(column, row, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, found);
    return found;
  }
}
