import { expect, it } from 'vitest';
import { ForwardPass } from '../../../../src/engines/transformers/text/forward-pass.js';
import { createTensor, type OnnxSession } from '../../../../src/engines/transformers/ort/onnx-session.js';

it('gives the logits of the vocabulary alone where the graph has padding, in every pass, as they come from a GPU', async () => {
  const [vocabulary, padded] = [5, 8];
  const session: OnnxSession = {
    inputNames: ['input_ids'],
    outputNames: ['logits'],
    inputMetadata: [],
    async run({ input_ids: ids }) {
      const [rows = 0, tokens = 0] = ids!.dims;
      const logits = Float32Array.from({ length: rows * tokens * padded }, (_, at) => at % padded);
      return { logits: createTensor('float32', logits, [rows, tokens, padded]) };
    },
  };
  const forward = new ForwardPass(session, { firstPosition: 0, vocabularySize: vocabulary });
  const { logits } = await forward.run([{ tokens: [1, 2, 3], past: 0 }], forward.emptyState(), {
    keep: 2,
    needs: [{ type: 'all' }],
  });
  expect(logits).toEqual([[Float32Array.of(0, 1, 2, 3, 4), Float32Array.of(0, 1, 2, 3, 4)]]);
});
