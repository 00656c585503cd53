// Single rows of packed weights as numbers: the embeddings of tokens.

export function unpackRow(kind: i32, out: usize, w: usize, row: i32, columns: i32): void {
  const blocks = columns >> 5, lane = <usize>(row & 3) << 2;
  switch (kind) {
    case 0:
      w += <usize>((row >> 2) * blocks) * 80;
      for (let block = 0; block < blocks; block++) {
        const scale = load<f32>(w + lane);
        for (let i: usize = 0; i < 16; i++) {
          const code = <i32>load<u8>(w + 16 + lane + ((i >> 2) << 4) + (i & 3));
          store<f32>(out + (i << 2), scale * <f32>((code & 15) - 8));
          store<f32>(out + (i << 2), scale * <f32>((code >> 4) - 8), 64);
        }
        w += 80;
        out += 128;
      }
      return;
    case 1:
      w += <usize>((row >> 2) * blocks) * 144;
      for (let block = 0; block < blocks; block++) {
        const scale = load<f32>(w + lane);
        for (let i: usize = 0; i < 32; i++) {
          const code = <i32>load<u8>(w + 16 + lane + ((i >> 2) << 4) + (i & 3));
          store<f32>(out + (i << 2), scale * <f32>(code - 128));
        }
        w += 144;
        out += 128;
      }
      return;
    default: unreachable();
  }
}
