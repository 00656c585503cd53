/** tiny-chat with megabytes of nothing in its graph: as large as a test wants, and it answers as before. */
import { readFileSync } from 'node:fs';
import { someBytes } from '../../store/support/fault-server.js';

const FOLDER = new URL('../../../public/models/tiny-chat/', import.meta.url);
const WEIGHTS = 'onnx/model_quantized.onnx';

/** Files by name. @param bytes to add to the weights */
export function paddedModel(bytes: number): Record<string, Uint8Array> {
  const names = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'];
  const files: Record<string, Uint8Array> = {};
  for (const name of names) files[name] = readFileSync(new URL(name, FOLDER));
  files[WEIGHTS] = Buffer.concat([readFileSync(new URL(WEIGHTS, FOLDER)), metadataOf(bytes)]);
  return files;
}

/** An entry of `metadata_props` (field 14 of ONNX's ModelProto) that holds so many bytes. */
function metadataOf(bytes: number): Buffer {
  const key = Buffer.from([0x0a, 1, 0x78]);
  const value = Buffer.concat([Buffer.from([0x12]), varint(bytes)]);
  const length = varint(key.length + value.length + bytes);
  // Text, because it must be UTF-8.
  const filling = Buffer.from(someBytes(bytes)).map((byte) => 32 + (byte % 90));
  return Buffer.concat([Buffer.from([0x72]), length, key, value, filling]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}
