/** What the templates of these tests are given. */
export const VARIABLES = {
  x: true,
  d: { items: [1], get: 2, a: { b: 3 } },
  e: {},
  l: ['b', 'A', 'c'],
  n: null,
  s: '  Grüße 😀  ',
  o: [{ k: 'x', v: 2 }, { k: 'y', v: 1 }, { v: 3 }],
};
