/** A cross-encoder as large as the bundled embedder: its own encoder with a head of one label. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { graphEdits, replaced } from '../../src/engines/transformers/onnx-file/graph-edits.js';
import { spliceBytes } from '../../src/engines/transformers/onnx-file/protobuf.js';
import { readGraph } from '../../src/engines/transformers/onnx-file/read-graph.js';
import { FLOAT, OnnxFile } from '../support/onnx-file.js';

const EMBEDDER = join(import.meta.dirname, '../../public/models/tiny-embed');

/** Which number of the first token's vector is the label's. */
const NUMBER = 3;

/** @param folder gets the folder `ranker` */
export function makeRankingModel(folder: string): void {
  const target = join(folder, 'ranker');
  mkdirSync(join(target, 'onnx'), { recursive: true });
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) cpSync(join(EMBEDDER, name), join(target, name));
  const config = JSON.parse(readFileSync(join(EMBEDDER, 'config.json'), 'utf8')) as { hidden_size: number };
  const head = {
    architectures: ['BertForSequenceClassification'],
    id2label: { 0: 'LABEL_0' },
    label2id: { LABEL_0: 0 },
  };
  writeFileSync(join(target, 'config.json'), JSON.stringify({ ...config, ...head }));
  const more = new OnnxFile();
  const size = config.hidden_size;
  more.constant('first_token', BigInt64Array.of(0n), []);
  more.constant(
    'label',
    Float32Array.from({ length: size }, (_, number) => Number(number === NUMBER)),
    [size, 1],
  );
  more.node('Gather', ['last_hidden_state', 'first_token'], 'first_vector', { axis: 1 });
  more.node('MatMul', ['first_vector', 'label'], 'logits');
  more.output('logits', FLOAT, ['batch_size', 1]);
  const encoder = new Uint8Array(readFileSync(join(EMBEDDER, 'onnx/model_quantized.onnx')));
  // In the one graph and with logits alone, as published files have it: our engine rewrites no others.
  const { field, outputs } = readGraph(encoder)!;
  const vectors = outputs.map((output) => replaced(output.field, []));
  const edits = graphEdits(field, vectors, more.toGraph());
  writeFileSync(join(target, 'onnx/model_quantized.onnx'), spliceBytes(encoder, edits));
}
