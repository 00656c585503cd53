/** A cross-encoder as large as the bundled embedder: its own encoder with a head of one label. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytes } from '../../src/model/engines/transformers/onnx-file/protobuf.js';
import { FLOAT, OnnxFile } from '../support/onnx-file.js';

const EMBEDDER = join(import.meta.dirname, '../../public/models/tiny-embed');

/** Which number of the first token's vector is the label's. */
const NUMBER = 3n;

/** @param folder gets the folder `ranker` */
export function makeRankingModel(folder: string): void {
  const target = join(folder, 'ranker');
  mkdirSync(join(target, 'onnx'), { recursive: true });
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) cpSync(join(EMBEDDER, name), join(target, name));
  const config = JSON.parse(readFileSync(join(EMBEDDER, 'config.json'), 'utf8')) as object;
  const head = {
    architectures: ['BertForSequenceClassification'],
    id2label: { 0: 'LABEL_0' },
    label2id: { LABEL_0: 0 },
  };
  writeFileSync(join(target, 'config.json'), JSON.stringify({ ...config, ...head }));
  const more = new OnnxFile();
  more.constant('first_token', BigInt64Array.of(0n), []);
  more.constant('label', BigInt64Array.of(NUMBER));
  more.node('Gather', ['last_hidden_state', 'first_token'], 'first_vector', { axis: 1 });
  more.node('Gather', ['first_vector', 'label'], 'logits', { axis: 1 });
  more.output('logits', FLOAT, ['batch_size', 1]);
  const encoder = readFileSync(join(EMBEDDER, 'onnx/model_quantized.onnx'));
  // Protobuf messages that stand one behind the other are one message, and so are their graphs.
  writeFileSync(join(target, 'onnx/model_quantized.onnx'), Buffer.concat([encoder, ...bytes(7, more.toGraph())]));
}
