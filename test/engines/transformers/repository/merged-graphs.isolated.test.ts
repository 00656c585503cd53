import * as ort from 'onnxruntime-web';
import { expect, it } from 'vitest';
import { UNPACKED_WEIGHTS } from '../../../../src/engines/transformers/repository/model-source.js';
import { BOOL, FLOAT, OnnxFile } from '../../../support/onnx-file.js';

const [OUT, SIZE] = [16, 8];
const SCALE = 0.01;
const weights = Int8Array.from({ length: OUT * SIZE }, (_, index) => ((index * 37) % 200) - 100);

/** A product in a branch, with 8-bit weights that stand outside of it, as in merged decoders of Whisper. */
function branch(name: string): OnnxFile {
  const graph = new OnnxFile();
  graph.node('DequantizeLinear', ['weights', 'scale', 'zero'], `${name}_unpacked`);
  graph.node('Transpose', [`${name}_unpacked`], `${name}_turned`, { perm: [1, 0] });
  graph.node('MatMul', ['x', `${name}_turned`], `${name}_y`);
  graph.output(`${name}_y`, FLOAT, ['rows', OUT]);
  return graph;
}

function mergedGraph(): Uint8Array {
  const file = new OnnxFile();
  file.constant('weights', weights, [OUT, SIZE]);
  file.constant('scale', Float32Array.of(SCALE), []);
  file.constant('zero', Int8Array.of(0), []);
  file.input('x', FLOAT, ['rows', SIZE]);
  file.input('use_cache_branch', BOOL, [1]);
  const branches = { then_branch: { graph: branch('with') }, else_branch: { graph: branch('without') } };
  file.node('If', ['use_cache_branch'], 'y', branches);
  file.output('y', FLOAT, ['rows', OUT]);
  return Buffer.concat(file.toMessage());
}

// The runtime writes to its options.
const open = (options: object) => ort.InferenceSession.create(mergedGraph(), structuredClone(options));

it('loads 8-bit weights that the branches of a merged graph unpack', async () => {
  const session = await open(UNPACKED_WEIGHTS);
  const x = Float32Array.from({ length: SIZE }, (_, index) => index / 4 - 1);
  const expected = Array.from({ length: OUT }, (_, row) =>
    x.reduce((sum, value, column) => sum + value * weights[row * SIZE + column]! * SCALE, 0),
  );
  for (const cached of [0, 1]) {
    const { y } = await session.run({
      x: new ort.Tensor('float32', x, [1, SIZE]),
      use_cache_branch: new ort.Tensor('bool', Uint8Array.of(cached), [1]),
    });
    for (const [row, value] of expected.entries()) expect((y!.data as Float32Array)[row]).toBeCloseTo(value, 4);
  }
});

it('needs the option still: remove it when this fails', async () => {
  await expect(open({})).rejects.toThrow('TransposeDQWeightsForMatMulNBits');
});
