// What happens to the queries, keys and values of rows before attention. A row begins with the queries' heads, then come the
// keys' and the values'.
import { codesOfEight, fma, greatestCode, highest, scaleBytes, sumOf } from './simd';

export function addBias(x: usize, stride: i32, bias: usize, rows: i32, columns: i32): void {
  const bytes = <usize>columns << 2;
  for (; rows; rows--) {
    for (let i: usize = 0; i < bytes; i += 16) v128.store(x + i, f32x4.add(v128.load(x + i), v128.load(bias + i)));
    x += <usize>stride << 2;
  }
}

export function normHeads(x: usize, stride: i32, weight: usize, rows: i32, heads: i32, size: i32, eps: f32): void {
  const bytes = <usize>size << 2;
  for (; rows; rows--) {
    for (let head = x; head < x + <usize>heads * bytes; head += bytes) {
      let sum = f32x4.splat(0);
      for (let i: usize = 0; i < bytes; i += 16) {
        const v = v128.load(head + i);
        sum = fma(v, v, sum);
      }
      const k = f32x4.splat(1.0 / Mathf.sqrt(sumOf(sum) / <f32>size + eps));
      for (let i: usize = 0; i < bytes; i += 16) {
        v128.store(head + i, f32x4.mul(f32x4.mul(v128.load(head + i), k), v128.load(weight + i)));
      }
    }
    x += <usize>stride << 2;
  }
}

export function rotateHalves(x: usize, stride: i32, rows: i32, heads: i32, size: i32, turned: i32, cos: usize, sin: usize): void {
  const half = <usize>turned << 1; // bytes of half of what is rotated
  for (; rows; rows--) {
    for (let h = 0; h < heads; h++) {
      const p = x + <usize>(h * size << 2);
      for (let i: usize = 0; i < half; i += 16) {
        const a = v128.load(p + i), b = v128.load(p + i + half), c = v128.load(cos + i), s = v128.load(sin + i);
        v128.store(p + i, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
        v128.store(p + i + half, f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)));
      }
    }
    x += <usize>stride << 2;
    cos += half;
    sin += half;
  }
}

export function rotateNeighbours(x: usize, stride: i32, rows: i32, heads: i32, size: i32, turned: i32, cos: usize, sin: usize): void {
  const half = <usize>turned << 1;
  for (; rows; rows--) {
    for (let h = 0; h < heads; h++) {
      const p = x + <usize>(h * size << 2);
      for (let i: usize = 0; i < half; i += 16) {
        const u = v128.load(p + 2 * i), v = v128.load(p + 2 * i, 16), c = v128.load(cos + i), s = v128.load(sin + i);
        const a = v128.shuffle<f32>(u, v, 0, 2, 4, 6), b = v128.shuffle<f32>(u, v, 1, 3, 5, 7);
        const e = f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)), f = f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s));
        v128.store(p + 2 * i, v128.shuffle<f32>(e, f, 0, 4, 1, 5));
        v128.store(p + 2 * i, v128.shuffle<f32>(e, f, 2, 6, 3, 7), 16);
      }
    }
    x += <usize>stride << 2;
    cos += half;
    sin += half;
  }
}

/** Positions of a page. */
const PAGE: usize = 64;

export function storeHeads(
  precision: i32, qkv: usize, stride: i32, rows: i32, keys: i32, values: i32, heads: i32, size: i32, kvCells: usize, layer: usize,
): void {
  if (precision == 8) storeAs<i8>(qkv, stride, rows, keys, values, heads, size, kvCells, layer);
  else if (precision == 16) storeAs<i16>(qkv, stride, rows, keys, values, heads, size, kvCells, layer);
  else storeAs<f32>(qkv, stride, rows, keys, values, heads, size, kvCells, layer);
}

function storeAs<T>(qkv: usize, stride: i32, rows: i32, keys: i32, values: i32, heads: i32, size: i32, kvCells: usize, layer: usize): void {
  const step = PAGE * (sizeof<T>() * size + scaleBytes<T>());
  for (; rows; rows--) {
    const slot = <usize>load<i32>(kvCells, 4);
    let page = <usize>load<i32>(kvCells) + layer;
    for (let h = 0; h < heads; h++) {
      storeKey<T>(page, slot, qkv + <usize>((keys + h * size) << 2), size);
      page += step;
    }
    for (let h = 0; h < heads; h++) {
      storeValue<T>(page, slot, qkv + <usize>((values + h * size) << 2), size);
      page += step;
    }
    qkv += <usize>stride << 2;
    kvCells += 8;
  }
}

// @ts-ignore: decorator
@inline function storeKey<T>(page: usize, slot: usize, x: usize, size: i32): void {
  const end = x + (<usize>size << 2);
  if (isFloat<T>()) {
    let at = page + (((slot & ~3) * size + (slot & 3)) << 2);
    for (; x < end; x += 4) {
      store<f32>(at, load<f32>(x));
      at += 16;
    }
  } else if (sizeof<T>() == 1) {
    const inverse = storeScale<T>(page, slot, x, size);
    let at = page + PAGE * scaleBytes<T>() + (slot & ~3) * size + ((slot & 3) << 1);
    for (; x < end; x += 32) {
      const v = bytesOfEight(x, inverse);
      v128.store_lane<i16>(at, v, 0);
      v128.store_lane<i16>(at, v, 1, 8);
      v128.store_lane<i16>(at, v, 2, 16);
      v128.store_lane<i16>(at, v, 3, 24);
      at += 32;
    }
  } else {
    const inverse = storeScale<T>(page, slot, x, size);
    let at = page + PAGE * scaleBytes<T>() + (((slot & ~3) * size) << 1) + ((slot & 3) << 2);
    for (; x < end; x += 32) {
      const v = codesOfEight(x, inverse);
      v128.store_lane<i32>(at, v, 0);
      v128.store_lane<i32>(at, v, 1, 16);
      v128.store_lane<i32>(at, v, 2, 32);
      v128.store_lane<i32>(at, v, 3, 48);
      at += 64;
    }
  }
}

// @ts-ignore: decorator
@inline function storeValue<T>(page: usize, slot: usize, x: usize, size: i32): void {
  const end = x + (<usize>size << 2);
  if (isFloat<T>()) {
    let at = page + (slot << 5);
    for (; x < end; x += 32) {
      v128.store(at, v128.load(x));
      v128.store(at, v128.load(x, 16), 16);
      at += PAGE << 5;
    }
  } else if (sizeof<T>() == 1) {
    const inverse = storeScale<T>(page, slot, x, size);
    let at = page + PAGE * scaleBytes<T>() + ((slot >> 1) << 4) + (slot & 1);
    for (; x < end; x += 32) {
      const v = bytesOfEight(x, inverse);
      v128.store_lane<i8>(at, v, 0);
      v128.store_lane<i8>(at, v, 1, 2);
      v128.store_lane<i8>(at, v, 2, 4);
      v128.store_lane<i8>(at, v, 3, 6);
      v128.store_lane<i8>(at, v, 4, 8);
      v128.store_lane<i8>(at, v, 5, 10);
      v128.store_lane<i8>(at, v, 6, 12);
      v128.store_lane<i8>(at, v, 7, 14);
      at += PAGE << 3;
    }
  } else {
    const inverse = storeScale<T>(page, slot, x, size);
    let at = page + PAGE * scaleBytes<T>() + ((slot >> 1) << 5) + ((slot & 1) << 1);
    for (; x < end; x += 32) {
      const v = codesOfEight(x, inverse);
      v128.store_lane<i16>(at, v, 0);
      v128.store_lane<i16>(at, v, 1, 4);
      v128.store_lane<i16>(at, v, 2, 8);
      v128.store_lane<i16>(at, v, 3, 12);
      v128.store_lane<i16>(at, v, 4, 16);
      v128.store_lane<i16>(at, v, 5, 20);
      v128.store_lane<i16>(at, v, 6, 24);
      v128.store_lane<i16>(at, v, 7, 28);
      at += PAGE << 4;
    }
  }
}

/** Eight numbers as whole ones of 8 bits, in the first half. */
// @ts-ignore: decorator
@inline function bytesOfEight(p: usize, factor: v128): v128 {
  const codes = codesOfEight(p, factor);
  return i8x16.narrow_i16x8_s(codes, codes);
}

/** @returns what its numbers are to be multiplied by */
// @ts-ignore: decorator
@inline function storeScale<T>(page: usize, slot: usize, x: usize, size: i32): v128 {
  let m = f32x4.splat(0);
  for (const end = x + (<usize>size << 2); x < end; x += 16) m = f32x4.pmax(m, f32x4.abs(v128.load(x)));
  const top = highest(m);
  if (sizeof<T>() == 1) {
    // Upwards, so that no code is greater than the greatest one.
    const upper = (reinterpret<u32>(top / greatestCode<T>()) + 0xffff) >> 16;
    store<u16>(page + (slot << 1), <u16>upper);
    return f32x4.splat(top < 1e-30 ? 0 : 1 / reinterpret<f32>(upper << 16));
  }
  store<f32>(page + (slot << 2), top / greatestCode<T>());
  return f32x4.splat(top < 1e-30 ? 0 : greatestCode<T>() / top);
}
