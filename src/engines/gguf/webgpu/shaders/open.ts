/** Gates behind queries, which open what attention gives. @module */
import { type HeadShape, qkvWidth } from './rotate.js';

/** A thread for each number that attention gives. */
export function openShader(shape: HeadShape): string {
  const { size, heads, kvHeads } = shape;
  return /* wgsl */ `struct Parameters { spare0: u32, spare1: u32, spare2: u32, spare3: u32 }
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;
@group(0) @binding(2) var<storage, read> vectors: array<f32>;
@group(0) @binding(3) var<storage, read> plan: array<u32>;
@group(0) @binding(4) var<uniform> p: Parameters;
@compute @workgroup_size(64) fn main(@builtin(workgroup_id) wg: vec3u, @builtin(local_invocation_index) t: u32) {
  let column = wg.x * 64u + t;
  if (column >= ${heads * size}u) { return; }
  let gate = x[wg.y * ${qkvWidth(shape)}u + ${(heads + 2 * kvHeads) * size}u + (column / ${size}u * 2u + 1u) * ${size}u + column % ${size}u];
  let i = wg.y * ${heads * size}u + column;
  result[i] = result[i] / (1.0 + exp(-clamp(gate, -80.0, 80.0)));
}`;
}
