/** The bundled chat model in several precisions, and what it is asked where engines are compared. @module */
import { join } from 'node:path';
import { tinyChatContent } from '../../../tiny-chat/convert-to-gguf.js';
import { tinyChatTokenizer } from '../../../language/prompt/tiny-chat-tokenizer.js';
import { dequantize, quantize } from './quantize.js';
import { type GgufInput, type TensorInput, writeGguf } from './write-gguf.js';

const FOLDER = join(import.meta.dirname, '../../../../public/models/tiny-chat');

/** `bundled` is the file that comes with the package: `Q8_0`, and `Q6_K` for a matrix of each layer. */
export const TINY_CHAT_KINDS = ['bundled', 'Q4_0', 'F16', 'F32'] as const;
export type TinyChatKind = (typeof TINY_CHAT_KINDS)[number];

/** Of an answer. */
export const ANSWER_TOKENS = 60;

const QUESTIONS = [
  'Hello!',
  'What is the capital of France?',
  'Count to five.',
  'Tell me a joke.',
  'What can you do?',
  'What is 2 plus 3?',
  'How do I boil an egg?',
  'Name three colours.',
  'Who are you?',
  'Write a short poem about the sea.',
];

/** Ids of questions, as the chat template writes them. */
export function tinyChatPrompts(): { prompts: number[][]; ends: readonly number[] } {
  const tokenizer = tinyChatTokenizer();
  const [start, end] = ['<|im_start|>', '<|im_end|>'].map((mark) => tokenizer.addedTokens.get(mark)!) as [
    number,
    number,
  ];
  const begin = [...tokenizer.encodeText('\n'), start, ...tokenizer.encodeText('assistant\n')];
  const prompts = QUESTIONS.map((question) => [start, ...tokenizer.encodeText(`user\n${question}`), end, ...begin]);
  return { prompts, ends: [...tokenizer.endTokens] };
}

let content: GgufInput | undefined;

/** @param asFloats the numbers that the kind holds, as 32-bit floats */
export function tinyChatFile(kind: TinyChatKind, asFloats = false): Uint8Array<ArrayBuffer> {
  return writeGguf(tinyChatInput(kind, asFloats));
}

/** What is in such a file. */
export function tinyChatInput(kind: TinyChatKind, asFloats = false): GgufInput {
  content ??= tinyChatContent(FOLDER);
  const tensors = content.tensors.map((tensor) => {
    const brought = kind === 'bundled' || tensor.shape.length === 1 ? tensor : inKind(tensor, kind);
    return asFloats ? inKind(brought, 'F32') : brought;
  });
  return { ...content, tensors };
}

function inKind(tensor: TensorInput, kind: TensorInput['kind']): TensorInput {
  if (tensor.kind === kind) return tensor;
  return { ...tensor, kind, data: quantize(kind, dequantize(tensor.kind, tensor.data as Uint8Array)) };
}
