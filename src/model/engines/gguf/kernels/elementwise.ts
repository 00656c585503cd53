// What happens between the products.
import { exp4, fma, sumOf } from './simd';

export function rmsNorm(out: usize, x: usize, weight: usize, rows: i32, columns: i32, eps: f32): void {
  const bytes = <usize>columns << 2;
  for (; rows; rows--) {
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const v = v128.load(x + i);
      sum = fma(v, v, sum);
    }
    const k = f32x4.splat(1.0 / Mathf.sqrt(sumOf(sum) / <f32>columns + eps));
    for (let i: usize = 0; i < bytes; i += 16) {
      v128.store(out + i, f32x4.mul(f32x4.mul(v128.load(x + i), k), v128.load(weight + i)));
    }
    x += bytes;
    out += bytes;
  }
}

export function add(x: usize, y: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    v128.store(x + i, f32x4.add(v128.load(x + i), v128.load(y + i)));
  }
}

export function siluMul(out: usize, gateUp: usize, rows: i32, columns: i32): void {
  const one = f32x4.splat(1), bytes = <usize>columns << 2;
  for (; rows; rows--) {
    for (let i: usize = 0; i < bytes; i += 16) {
      const gate = v128.load(gateUp + i);
      const silu = f32x4.div(gate, f32x4.add(one, exp4(f32x4.neg(gate))));
      v128.store(out + i, f32x4.mul(silu, v128.load(gateUp + i + bytes)));
    }
    out += bytes;
    gateUp += bytes << 1;
  }
}
