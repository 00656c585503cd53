import { expect, it } from 'vitest';
import { mostBytes } from '../../src/store/download/file-limits.js';
import type { StoreEnvironment } from '../../src/store/storage/store-environment.js';
import { filesOf, testStore } from './support/node-store.js';

const MB = 2 ** 20;

it.each([
  ['config.json', 4],
  ['tokenizer_config.json', 4],
  ['chat_template.jinja', 4],
  ['1_Pooling/config.json', 4],
  ['tokenizer.json', 64],
  ['tokenizer.model', 64],
  ['vocab.json', 64],
  ['merges.txt', 64],
  ['onnx/model_q4.onnx', Infinity],
  ['onnx/model.onnx_data', Infinity],
  ['params_shard_0.bin', Infinity],
])('%s may have %d MB', (file, most) => {
  expect(mostBytes(file)).toBe(most * MB);
});

/** A server that sends a file without an end, and counts what was taken of it. */
function endless(headers: Record<string, string> = {}): { fetch: StoreEnvironment['fetch']; sent: () => number } {
  let sent = 0;
  const fetch: StoreEnvironment['fetch'] = async () =>
    new Response(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += MB;
          controller.enqueue(new Uint8Array(MB).fill(32));
        },
      }),
      { headers },
    );
  return { fetch, sent: () => sent };
}

it.each([
  ['config.json', {}, 4],
  ['config.json', { 'content-length': String(1e12) }, 4],
  ['tokenizer.json', {}, 64],
])('%s without an end (%o) is refused after so many bytes', async (file, headers, most) => {
  const server = endless(headers);
  const store = testStore({ fetch: server.fetch });
  await expect(filesOf(store, 'http://models.test/m/').find(file)).rejects.toMatchObject({
    code: 'model_not_supported',
    message: expect.stringContaining(`\`${file}\` is larger than ${most} MB`),
    details: { permanent: true },
  });
  expect(server.sent()).toBeLessThanOrEqual((most + 3) * MB);
});
