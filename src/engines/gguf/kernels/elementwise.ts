// What happens between the products.
import { capped, exp4, fma, sumOf } from './simd';

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

export function add(x: usize, y: usize, count: i32, factor: f32): void {
  const f = f32x4.splat(factor);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    v128.store(x + i, f32x4.add(v128.load(x + i), f32x4.mul(v128.load(y + i), f)));
  }
}

export function scale(x: usize, count: i32, factor: f32): void {
  const f = f32x4.splat(factor);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) v128.store(x + i, f32x4.mul(v128.load(x + i), f));
}

export function cap(x: usize, count: i32, most: f32): void {
  const m = f32x4.splat(most);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) v128.store(x + i, capped(v128.load(x + i), m));
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

/** GELU by its formula with tanh: x x sigmoid(2 u). */
export function geluMul(out: usize, gateUp: usize, rows: i32, columns: i32): void {
  const one = f32x4.splat(1), bytes = <usize>columns << 2;
  const a = f32x4.splat(-1.5957691216), b = f32x4.splat(0.044715);
  for (; rows; rows--) {
    for (let i: usize = 0; i < bytes; i += 16) {
      const x = v128.load(gateUp + i);
      const u = f32x4.mul(f32x4.mul(x, a), f32x4.add(one, f32x4.mul(b, f32x4.mul(x, x))));
      v128.store(out + i, f32x4.mul(f32x4.div(x, f32x4.add(one, exp4(u))), v128.load(gateUp + i + bytes)));
    }
    out += bytes;
    gateUp += bytes << 1;
  }
}

export function layerNorm(out: usize, x: usize, weight: usize, bias: usize, rows: i32, columns: i32, eps: f32): void {
  const bytes = <usize>columns << 2;
  for (; rows; rows--) {
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) sum = f32x4.add(sum, v128.load(x + i));
    const mean = f32x4.splat(sumOf(sum) / <f32>columns);
    sum = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const v = f32x4.sub(v128.load(x + i), mean);
      sum = fma(v, v, sum);
    }
    const k = f32x4.splat(1.0 / Mathf.sqrt(sumOf(sum) / <f32>columns + eps));
    for (let i: usize = 0; i < bytes; i += 16) {
      const v = f32x4.mul(f32x4.sub(v128.load(x + i), mean), k);
      v128.store(out + i, fma(v, v128.load(weight + i), v128.load(bias + i)));
    }
    x += bytes;
    out += bytes;
  }
}

/** gate below 7, up between -7 and 7: gate x sigmoid(1.702 gate) x (up + 1). */
export function clippedMul(out: usize, gateUp: usize, rows: i32, columns: i32): void {
  const one = f32x4.splat(1), bytes = <usize>columns << 2, most = f32x4.splat(7), least = f32x4.splat(-7);
  for (; rows; rows--) {
    for (let i: usize = 0; i < bytes; i += 16) {
      const gate = f32x4.pmin(v128.load(gateUp + i), most);
      const up = f32x4.pmax(f32x4.pmin(v128.load(gateUp + i + bytes), most), least);
      const open = f32x4.div(gate, f32x4.add(one, exp4(f32x4.mul(gate, f32x4.splat(-1.702)))));
      v128.store(out + i, f32x4.mul(open, f32x4.add(up, one)));
    }
    out += bytes;
    gateUp += bytes << 1;
  }
}

export function reluSquared(x: usize, count: i32): void {
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    const v = f32x4.pmax(v128.load(x + i), f32x4.splat(0));
    v128.store(x + i, f32x4.mul(v, v));
  }
}

export function xielu(x: usize, count: i32, a: f32, b: f32, c: f32, e: f32): void {
  const none = f32x4.splat(0);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    const v = v128.load(x + i), low = f32x4.pmin(v, f32x4.splat(e)), linear = f32x4.mul(v, f32x4.splat(c));
    const above = f32x4.mul(f32x4.mul(v, v), f32x4.splat(a));
    // Near 0 the difference of the exponential from 1 has few digits: there its series has more.
    const small = f32x4.mul(low, f32x4.add(f32x4.splat(1), f32x4.mul(low, f32x4.add(f32x4.splat(0.5), f32x4.mul(low, f32x4.splat(0.16666667))))));
    const isSmall = f32x4.gt(low, f32x4.splat(-0.01));
    const grown = v128.bitselect(small, f32x4.sub(exp4(low), f32x4.splat(1)), isSmall);
    const below = f32x4.mul(f32x4.sub(grown, v), f32x4.splat(b));
    v128.store(x + i, f32x4.add(v128.bitselect(above, below, f32x4.gt(v, none)), linear));
  }
}

/** x / 2 x (1 + erf(x / root of 2)), after Abramowitz and Stegun 7.1.26. */
export function gelu(x: usize, count: i32): void {
  const one = f32x4.splat(1);
  for (let i: usize = 0; i < <usize>count << 2; i += 16) {
    const v = v128.load(x + i), z = f32x4.abs(f32x4.mul(v, f32x4.splat(0.70710678)));
    const t = f32x4.div(one, fma(z, f32x4.splat(0.3275911), one));
    let p = fma(t, f32x4.splat(1.061405429), f32x4.splat(-1.453152027));
    p = fma(t, p, f32x4.splat(1.421413741));
    p = fma(t, p, f32x4.splat(-0.284496736));
    p = fma(t, p, f32x4.splat(0.254829592));
    // The part of the normal distribution beyond |x|.
    const beyond = f32x4.mul(f32x4.mul(p, t), f32x4.mul(exp4(f32x4.neg(f32x4.mul(z, z))), f32x4.splat(0.5)));
    const share = v128.bitselect(beyond, f32x4.sub(one, beyond), f32x4.lt(v, f32x4.splat(0)));
    v128.store(x + i, f32x4.mul(v, share));
  }
}
