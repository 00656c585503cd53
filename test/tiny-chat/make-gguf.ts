/**
 * `npm run make-tiny-chat`: writes the bundled chat model as a GGUF file, from the weights of its 8-bit ONNX file. The same
 * files give the same bytes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { convertToGguf } from './convert-to-gguf.js';

const folder = join(import.meta.dirname, '../../public/models/tiny-chat');
writeFileSync(join(folder, 'tiny-chat-Q8_0.gguf'), convertToGguf(folder));
