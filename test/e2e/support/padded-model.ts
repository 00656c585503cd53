/** tiny-chat with megabytes of nothing in its graph: as large as a test wants, and it answers as before. */
import { readFileSync } from 'node:fs';
import { bytes, type ProtobufMessage } from '../../../src/engines/transformers/onnx-file/protobuf.js';
import { someBytes } from '../../store/support/fault-server.js';

const FOLDER = new URL('../../../public/models/tiny-chat/', import.meta.url);
const WEIGHTS = 'onnx/model_quantized.onnx';

/** Files by name. @param padding bytes to add to the weights */
export function paddedModel(padding: number): Record<string, Uint8Array> {
  const names = ['config.json', 'generation_config.json', 'tokenizer.json', 'tokenizer_config.json'];
  const files: Record<string, Uint8Array> = {};
  for (const name of names) files[name] = readFileSync(new URL(name, FOLDER));
  files[WEIGHTS] = Buffer.concat([readFileSync(new URL(WEIGHTS, FOLDER)), ...metadataOf(padding)]);
  return files;
}

/** An entry of `metadata_props` (field 14 of ONNX's ModelProto) that holds so many bytes. */
function metadataOf(count: number): ProtobufMessage {
  // Text, because it must be UTF-8.
  const filling = Buffer.from(someBytes(count)).map((byte) => 32 + (byte % 90));
  return bytes(14, [...bytes(1, 'x'), ...bytes(2, [filling])]);
}
