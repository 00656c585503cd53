// Rotary positions, the store of keys and values, attention.
import { exp4, fma, highest, sumOf } from './simd';

/** rotates halves of heads in place; x [rows][stride], first `heads` heads of dim; cos, sin [position][dim/2] */
export function rope(x: usize, rows: i32, stride: i32, heads: i32, dim: i32, cos: usize, sin: usize, position: i32): void {
  const half = dim << 1; // bytes of half a head
  for (let r = 0; r < rows; r++) {
    const c = cos + <usize>((position + r) * half), s = sin + <usize>((position + r) * half);
    for (let h = 0; h < heads; h++) {
      const p = x + <usize>(h * dim << 2);
      for (let i = 0; i < half; i += 16) {
        const a = v128.load(p + i), b = v128.load(p + i + half), cc = v128.load(c + i), ss = v128.load(s + i);
        v128.store(p + i, f32x4.sub(f32x4.mul(a, cc), f32x4.mul(b, ss)));
        v128.store(p + i + half, f32x4.add(f32x4.mul(b, cc), f32x4.mul(a, ss)));
      }
    }
    x += stride << 2;
  }
}

/** Keys [head][position/4][dim][4] and values [head][dim/8][position][8] of `rows` new positions from qkv rows. */
export function storeKV(qkv: usize, stride: i32, rows: i32, kOff: i32, vOff: i32, kvHeads: i32, dim: i32, keys: usize, values: usize, capacity: i32, position: i32): void {
  for (let r = 0; r < rows; r++) {
    const pos = position + r, row = qkv + <usize>(r * stride << 2);
    for (let h = 0; h < kvHeads; h++) {
      const k = row + <usize>((kOff + h * dim) << 2), v = row + <usize>((vOff + h * dim) << 2);
      const kd = keys + <usize>((h * capacity + (pos & ~3)) * dim << 2) + <usize>((pos & 3) << 2);
      const vd = values + <usize>(h * capacity * dim << 2) + <usize>(pos << 5);
      for (let i = 0; i < dim; i++) store<f32>(kd + <usize>(i << 4), load<f32>(k + <usize>(i << 2)));
      for (let i: usize = 0; i < <usize>dim << 2; i += 32) { const d = vd + i * capacity; v128.store(d, v128.load(v + i)); v128.store(d, v128.load(v + i, 16), 16); }
    }
  }
}

// @ts-ignore: decorator

/** Causal attention of `rows` queries behind `position` earlier places. scratch: 4 * (position + rows + 8) floats. dim divisible by 8; position, rows any. */
export function attend(out: usize, qkv: usize, stride: i32, rows: i32, heads: i32, kvHeads: i32, dim: i32, keys: usize, values: usize, capacity: i32, position: i32, scratch: usize, scale: f32): void {
  const group = heads / kvHeads, line = <usize>((position + rows + 7) & ~3) << 2, width = <usize>(heads * dim) << 2, bytes = <usize>dim << 2;
  const s0 = scratch, s1 = s0 + line, s2 = s1 + line, s3 = s2 + line;
  for (let h = 0; h < kvHeads; h++) {
    const kh = keys + <usize>(h * capacity) * bytes, vh = values + <usize>(h * capacity) * bytes;
    const count = rows * group; // query i: row i / group, head h * group + i % group
    for (let i = 0; i < count; i += 4) {
      const n = min(4, count - i), most = position + (i + n - 1) / group + 1, fours = (most + 3) >> 2;
      const q0 = query(qkv, stride, group, h, dim, i), q1 = n > 1 ? query(qkv, stride, group, h, dim, i + 1) : q0;
      const q2 = n > 2 ? query(qkv, stride, group, h, dim, i + 2) : q0, q3 = n > 3 ? query(qkv, stride, group, h, dim, i + 3) : q0;
      for (let t = 0; t < fours; t++) {
        let k = kh + <usize>t * (bytes << 2);
        let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
        for (let d: usize = 0; d < bytes; d += 8) {
          const x = v128.load(k), y = v128.load(k, 16);
          a0 = fma(v128.load32_splat(q0 + d), x, a0); b0 = fma(v128.load32_splat(q0 + d, 4), y, b0);
          a1 = fma(v128.load32_splat(q1 + d), x, a1); b1 = fma(v128.load32_splat(q1 + d, 4), y, b1);
          a2 = fma(v128.load32_splat(q2 + d), x, a2); b2 = fma(v128.load32_splat(q2 + d, 4), y, b2);
          a3 = fma(v128.load32_splat(q3 + d), x, a3); b3 = fma(v128.load32_splat(q3 + d, 4), y, b3);
          k += 32;
        }
        const o = <usize>(t << 4);
        v128.store(s0 + o, f32x4.add(a0, b0)); v128.store(s1 + o, f32x4.add(a1, b1)); v128.store(s2 + o, f32x4.add(a2, b2)); v128.store(s3 + o, f32x4.add(a3, b3));
      }
      for (let j = 0; j < n; j++) softmax(s0 + <usize>j * line, position + (i + j) / group + 1, fours, scale);
      const o0 = target(out, width, group, h, dim, i);
      const o1 = n > 1 ? target(out, width, group, h, dim, i + 1) : o0, o2 = n > 2 ? target(out, width, group, h, dim, i + 2) : o0, o3 = n > 3 ? target(out, width, group, h, dim, i + 3) : o0;
      for (let c: usize = 0; c < bytes; c += 32) {
        let a0 = f32x4.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
        let v = vh + c * capacity;
        const end = <usize>(most << 2);
        for (let t: usize = 0; t < end; t += 4) {
          const x = v128.load(v), y = v128.load(v, 16);
          let p = v128.load32_splat(s0 + t); a0 = fma(p, x, a0); b0 = fma(p, y, b0);
          p = v128.load32_splat(s1 + t); a1 = fma(p, x, a1); b1 = fma(p, y, b1);
          p = v128.load32_splat(s2 + t); a2 = fma(p, x, a2); b2 = fma(p, y, b2);
          p = v128.load32_splat(s3 + t); a3 = fma(p, x, a3); b3 = fma(p, y, b3);
          v += 32;
        }
        if (n > 3) { v128.store(o3 + c, a3); v128.store(o3 + c, b3, 16); }
        if (n > 2) { v128.store(o2 + c, a2); v128.store(o2 + c, b2, 16); }
        if (n > 1) { v128.store(o1 + c, a1); v128.store(o1 + c, b1, 16); }
        v128.store(o0 + c, a0); v128.store(o0 + c, b0, 16);
      }
    }
  }
}
// @ts-ignore: decorator
@inline function query(qkv: usize, stride: i32, group: i32, h: i32, dim: i32, i: i32): usize { return qkv + <usize>(((i / group) * stride + (h * group + i % group) * dim) << 2); }
// @ts-ignore: decorator
@inline function target(out: usize, width: usize, group: i32, h: i32, dim: i32, i: i32): usize { return out + <usize>(i / group) * width + <usize>(((h * group + i % group) * dim) << 2); }

function softmax(s: usize, length: i32, fours: i32, scale: f32): void {
  for (let t = length; t < fours << 2; t++) store<f32>(s + <usize>(t << 2), -Infinity);
  let m = f32x4.splat(-Infinity);
  const end = s + <usize>(fours << 4);
  for (let p = s; p < end; p += 16) m = f32x4.pmax(m, v128.load(p));
  const top = f32x4.splat(highest(m)), sc = f32x4.splat(scale);
  let sum = f32x4.splat(0);
  for (let p = s; p < end; p += 16) { const e = exp4(f32x4.mul(f32x4.sub(v128.load(p), top), sc)); v128.store(p, e); sum = f32x4.add(sum, e); }
  const inverse = f32x4.splat(1.0 / sumOf(sum));
  for (let p = s; p < end; p += 16) v128.store(p, f32x4.mul(v128.load(p), inverse));
}
