/** What several shaders compute alike. @module */
import { each, range } from './sizes.js';

/** One chain of fused products; and the sum of 4 numbers, one after the other. */
export const CHAIN = /* wgsl */ `
fn chain(a: vec4f, b: vec4f, s: f32) -> f32 { return fma(a.w, b.w, fma(a.z, b.z, fma(a.y, b.y, fma(a.x, b.x, s)))); }
fn addUp(a: vec4f, s: f32) -> f32 { return (((s + a.x) + a.y) + a.z) + a.w; }
`;

/** What a gate is passed through. exp and tanh of large numbers are not safe everywhere. */
export const ACTIVATIONS = {
  silu: 'fn activate(v: f32) -> f32 { return v / (1.0 + exp(-clamp(v, -80.0, 80.0))); }',
  gelu: 'fn activate(v: f32) -> f32 { return 0.5 * v * (1.0 + tanh(clamp(0.7978845608028654 * (v + 0.044715 * v * v * v), -15.0, 15.0))); }',
  clipped:
    'fn activate(v: f32) -> f32 { let g = min(v, 7.0); return g / (1.0 + exp(clamp(-1.702 * g, -80.0, 80.0))); }',
} as const;

/** What a gate opens. The one that is clipped, of gpt-oss, clips that, too. */
export const opened = (gate: keyof typeof ACTIVATIONS, v: string, inner: string): string =>
  `activate(${v}) * ${gate === 'clipped' ? `(clamp(${inner}, -7.0, 7.0) + 1.0)` : inner}`;

/** Workgroup memory of {@link rootMeans}. */
export const squaresOf = (rows: number): string => /* wgsl */ `
var<workgroup> squares: array<f32, ${64 * rows}>; var<workgroup> squares2: array<f32, ${8 * rows}>;
`;

/**
 * The inverse root of the mean square of rows of `columns4` vectors, as `inverse0` …: 64 sums, then 8 by 8, whatever the
 * shader. Threads from 64 on only wait.
 * @param load an expression for vector `k` of a row
 */
export const rootMeans = (rows: number, load: (row: number) => string): string => /* wgsl */ `
  if (t < 64u) {
    ${each(range(rows), (m) => `{ var s = 0.0; for (var k = t; k < columns4; k += 64u) { let v = ${load(m)}; s = chain(v, v, s); } squares[${m * 64}u + t] = s; }`)}
  }
  workgroupBarrier();
  if (t < ${8 * rows}u) { var s = 0.0; for (var i = 0u; i < 8u; i++) { s += squares[t * 8u + i]; } squares2[t] = s; }
  workgroupBarrier();
  ${each(range(rows), (m) => `var inverse${m} = 0.0; for (var i = 0u; i < 8u; i++) { inverse${m} += squares2[${m * 8}u + i]; } inverse${m} = 1.0 / sqrt(inverse${m} / f32(columns4 * 4u) + p.epsilon);`)}
`;

/** 4 numbers of a vector that begins anywhere. */
export const vectorOf = (base: string, index: string): string =>
  `vec4f(vectors[${base} + ${index} * 4u], vectors[${base} + ${index} * 4u + 1u], vectors[${base} + ${index} * 4u + 2u], vectors[${base} + ${index} * 4u + 3u])`;
