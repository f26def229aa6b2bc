// Matrices are 16 numbers, column by column, for column vectors.

export function multiply(a, b) {
  const product = new Array(16);
  for (let column = 0; column < 16; column += 4)
    for (let row = 0; row < 4; row++)
      product[column + row] =
        a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
  return product;
}

export function translation(x, y, z) {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
}

/** Rodrigues' formula; the axis has length one. */
export function rotation([x, y, z], angle) {
  const c = Math.cos(angle), s = Math.sin(angle), k = 1 - c;
  return [
    c + x * x * k, y * x * k + z * s, z * x * k - y * s, 0,
    x * y * k - z * s, c + y * y * k, z * y * k + x * s, 0,
    x * z * k + y * s, y * z * k - x * s, c + z * z * k, 0,
    0, 0, 0, 1,
  ];
}

export function scaling(factor) {
  return [factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, 1];
}

export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), depth = near - far;
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / depth, -1, 0, 0, (2 * far * near) / depth, 0];
}

/** From three rows of four numbers. */
export function fromRows(r) {
  return [r[0], r[4], r[8], 0, r[1], r[5], r[9], 0, r[2], r[6], r[10], 0, r[3], r[7], r[11], 1];
}

export function transformed(m, x, y, z) {
  return [0, 1, 2].map((row) => m[row] * x + m[row + 4] * y + m[row + 8] * z + m[row + 12]);
}

/** The box round shapes, each with its points and the pose that they have, as two corners; null round nothing. */
export function bounds(shapes) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const { points, pose } of shapes)
    for (let at = 0; at < points.length; at += 3)
      transformed(pose, points[at], points[at + 1], points[at + 2]).forEach((part, axis) => {
        low[axis] = Math.min(low[axis], part);
        high[axis] = Math.max(high[axis], part);
      });
  return low[0] <= high[0] ? [low, high] : null;
}

/** Numbers of a kind, such as Float32Array, from base 64. */
export function numbers(text, Kind) {
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}
