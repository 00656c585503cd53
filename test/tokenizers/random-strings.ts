/** Strings of everything that tokenizers treat in its own way, the same in each run. @module */

/** Ranges of code points; none holds surrogates, which Python's strings cannot pass on. */
const BLOCKS: readonly (readonly [from: number, to: number])[] = [
  [0x20, 0x7e],
  [0x20, 0x7e],
  [0x61, 0x7a],
  [0x41, 0x5a],
  [0x00, 0x1f],
  [0x7f, 0xff],
  [0x100, 0x24f],
  [0x250, 0x36f],
  [0x370, 0x3ff],
  [0x400, 0x52f],
  [0x530, 0x6ff],
  [0x900, 0xdff],
  [0xe00, 0x10ff],
  [0x1100, 0x11ff],
  [0x1200, 0x1dff],
  [0x1e00, 0x1fff],
  [0x2000, 0x206f],
  [0x2070, 0x2bff],
  [0x2c00, 0x2fff],
  [0x3000, 0x33ff],
  [0x4e00, 0x9fff],
  [0xa000, 0xabff],
  [0xac00, 0xd7a3],
  [0xe000, 0xe0ff],
  [0xf900, 0xfaff],
  [0xfb00, 0xfffd],
  [0x10000, 0x12fff],
  [0x16000, 0x1bfff],
  [0x1d000, 0x1d7ff],
  [0x1e000, 0x1efff],
  [0x1f000, 0x1faff],
  [0x20000, 0x2ebe0],
  [0x2f800, 0x2fa1f],
  [0x30000, 0x323af],
  [0xe0000, 0xe01ef],
];

const FRAGMENTS = [
  ...' |  |   |\t|\n|\r\n|\n\n|\u00A0|\u0085|\u2028|\u3000|\uFEFF|\u200B|\u200D'.split('|'),
  ..."'s|'T|don't|WE'LL|I'm|it's|ΟΔΥΣΣΕΥΣ|ΣΑΣ Σ|ΑΣ.|λόγος|İI|ẞß|ﬁ|①½²|Ａｂ|ガ|カ\u3099|e\u0301|q\u0323\u0307|각|\u1112\u1161\u11AB".split(
    '|',
  ),
  ...'2024|3,14|１２|v1.2|foo_bar|a+b|http://a.b/?q=1|<s>x|[UNK]y|▁|▁▁a|😀|👩‍👩‍👧|🇩🇪|❤️|𝔘𝔫𝔦|𠮷野家|世界|한국어|สวัสดี|नमस्ते|مرحبا|שָׁלוֹם'.split(
    '|',
  ),
  ...'the quick |brown fox |jumps |street |Größe |naïve '.split('|'),
];

/** @param count how many; the first ones do not depend on it */
export function randomStrings(count: number): string[] {
  const random = mulberry32(20_261_124);
  const below = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: count }, () => {
    let text = '';
    // A few blocks only, so that neighbours are often of one script.
    const blocks = Array.from({ length: 1 + below(3) }, () => BLOCKS[below(BLOCKS.length)]!);
    for (let parts = 1 + below(24); parts > 0; parts -= 1) {
      const [from, to] = blocks[below(blocks.length)]!;
      const kind = below(10);
      if (kind < 3) text += FRAGMENTS[below(FRAGMENTS.length)]!;
      else if (kind < 5) text += String.fromCodePoint(0x61 + below(26));
      else text += String.fromCodePoint(from + below(to - from + 1));
    }
    return text;
  });
}

/** A small generator with a seed. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
