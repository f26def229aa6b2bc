// A slider for each joint, in degrees and millimetres; inside there are radians and metres.

export const shown = (joint, value) => (joint.turns ? (value * 180) / Math.PI : value * 1000);
export const meant = (joint, value) => (joint.turns ? (value * Math.PI) / 180 : value / 1000);

/** The slider of a joint as `element`, itself as `input`; `show` puts a position beside it, `at` reads it. */
export function jointSlider(joint) {
  const element = document.createElement("label"), input = document.createElement("input");
  const output = document.createElement("output");
  const whole = joint.turns ? Math.PI : 1;
  input.type = "range";
  input.name = joint.name;
  input.step = "any";
  input.min = shown(joint, joint.lower ?? -whole);
  input.max = shown(joint, joint.upper ?? whole);
  element.append(joint.name, output, input);
  return {
    element,
    input,
    at: () => meant(joint, Number(input.value)),
    show(position, moves = true) {
      output.textContent = shown(joint, position).toFixed(1) + (joint.turns ? "°" : " mm");
      if (moves) input.value = shown(joint, position);
    },
  };
}
