// A small program of its own: whether relaxed instructions do here what the kernels expect of them, and how fast they are.

/** Signed bytes, and codes below 128. */
// @ts-ignore: decorator
@inline function signed(): v128 { return i8x16(-127, 127, 3, -4, 5, 6, -77, 8, 0, -1, 127, 127, -127, -127, 21, 99); }
// @ts-ignore: decorator
@inline function codes(): v128 { return i8x16(127, 127, 15, 2, 0, 63, 31, 9, 1, 126, 127, 127, 127, 127, 5, 77); }

/** Compares with instructions that every browser computes alike. */
export function isRight(): bool {
  const low = i16x8.extmul_low_i8x16_s(signed(), codes()), high = i16x8.extmul_high_i8x16_s(signed(), codes());
  const pairs = i16x8.narrow_i32x4_s(i32x4.extadd_pairwise_i16x8_s(low), i32x4.extadd_pairwise_i16x8_s(high));
  const start = i32x4(-8, 70000, 0, 3);
  const fours = i32x4.add(i32x4.extadd_pairwise_i16x8_s(pairs), start);
  return (
    i16x8.all_true(i16x8.eq(i16x8.relaxed_dot_i8x16_i7x16_s(signed(), codes()), pairs)) &&
    i32x4.all_true(i32x4.eq(i32x4.relaxed_dot_i8x16_i7x16_add_s(signed(), codes(), start), fours)) &&
    i32x4.all_true(f32x4.eq(f32x4.relaxed_madd(f32x4.splat(1.5), f32x4.splat(-2), f32x4(1, 3, 5, 0.25)), f32x4(-2, 0, 2, -2.75)))
  );
}

/** Whether a product and a sum are rounded once. Either is allowed, and gives other last bits. */
export function isFused(): bool {
  const x = f32x4.splat(1.000244140625);
  return v128.any_true(f32x4.relaxed_madd(x, x, f32x4.splat(-1.00048828125)));
}

/** Adds products four by four, as the build `relaxed` does. */
export function fours(rounds: i32): bool {
  const y = codes();
  let a = signed(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  for (; rounds > 0; rounds--) {
    a = i32x4.relaxed_dot_i8x16_i7x16_add_s(b, y, a);
    b = i32x4.relaxed_dot_i8x16_i7x16_add_s(c, y, b);
    c = i32x4.relaxed_dot_i8x16_i7x16_add_s(d, y, c);
    d = i32x4.relaxed_dot_i8x16_i7x16_add_s(e, y, d);
    e = i32x4.relaxed_dot_i8x16_i7x16_add_s(f, y, e);
    f = i32x4.relaxed_dot_i8x16_i7x16_add_s(g, y, f);
    g = i32x4.relaxed_dot_i8x16_i7x16_add_s(h, y, g);
    h = i32x4.relaxed_dot_i8x16_i7x16_add_s(a, y, h);
  }
  return v128.any_true(v128.xor(v128.xor(v128.xor(a, b), v128.xor(c, d)), v128.xor(v128.xor(e, f), v128.xor(g, h))));
}

/** Adds as many products two by two, as the build `pairs` does. */
export function twos(rounds: i32): bool {
  const y = codes();
  let a = signed(), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
  for (; rounds > 0; rounds--) {
    a = i16x8.add(a, i16x8.relaxed_dot_i8x16_i7x16_s(b, y));
    b = i16x8.add(b, i16x8.relaxed_dot_i8x16_i7x16_s(c, y));
    c = i16x8.add(c, i16x8.relaxed_dot_i8x16_i7x16_s(d, y));
    d = i16x8.add(d, i16x8.relaxed_dot_i8x16_i7x16_s(e, y));
    e = i16x8.add(e, i16x8.relaxed_dot_i8x16_i7x16_s(f, y));
    f = i16x8.add(f, i16x8.relaxed_dot_i8x16_i7x16_s(g, y));
    g = i16x8.add(g, i16x8.relaxed_dot_i8x16_i7x16_s(h, y));
    h = i16x8.add(h, i16x8.relaxed_dot_i8x16_i7x16_s(a, y));
  }
  return v128.any_true(v128.xor(v128.xor(v128.xor(a, b), v128.xor(c, d)), v128.xor(v128.xor(e, f), v128.xor(g, h))));
}
