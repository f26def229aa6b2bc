// Matrices are 16 numbers, column by column, for column vectors.

export function multiply(a, b) {
  const product = new Float32Array(16);
  for (let column = 0; column < 16; column += 4)
    for (let row = 0; row < 4; row++)
      product[column + row] =
        a[row] * b[column] + a[row + 4] * b[column + 1] + a[row + 8] * b[column + 2] + a[row + 12] * b[column + 3];
  return product;
}

export function translation(x, y, z) {
  return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1];
}

/** About one of the axes of the frame: 0, 1 or 2. */
export function turned(axis, angle) {
  const matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const one = (axis + 1) % 3, two = (axis + 2) % 3;
  matrix[5 * one] = matrix[5 * two] = Math.cos(angle);
  matrix[4 * one + two] = Math.sin(angle);
  matrix[4 * two + one] = -Math.sin(angle);
  return matrix;
}

export function scaling(factor) {
  return [factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, 1];
}

export function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), depth = near - far;
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / depth, -1, 0, 0, (2 * far * near) / depth, 0];
}

/** From the three rows of four numbers that the server sends. */
export function fromRows(r) {
  return [r[0], r[4], r[8], 0, r[1], r[5], r[9], 0, r[2], r[6], r[10], 0, r[3], r[7], r[11], 1];
}

export function transformed(m, x, y, z) {
  return [0, 1, 2].map((row) => m[row] * x + m[row + 4] * y + m[row + 8] * z + m[row + 12]);
}
