/** The `input` of decisions as evidence: every item under the name of its role, in order. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import type { DecisionPart } from '../../../core/request/decision-request.js';
import type { RequestImages } from '../fields/request-images.js';
import type { DecisionInput, InputItem, InputPart } from './input-schema.js';

/** Where the parts of a request go, and what becomes of its images. */
export interface PartContext {
  images: RequestImages;
  /** Told of each image: the path of the first is needed for errors. */
  onImage: (param: string) => void;
}

/** @throws InferenceError `invalid_request` for an output without its call, `invalid_media` for an image that is none */
export function readInput(input: DecisionInput, context: PartContext): DecisionPart[] {
  const items: InputItem[] = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  refuseOrphans(items);
  const parts: DecisionPart[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0) addText(parts, '\n\n');
    const { title, body } = readItem(item, `input.${index}`, context);
    addText(parts, title);
    addParts(parts, body);
  }
  return parts;
}

/** Who says something, and what. */
interface ReadItem {
  title: string;
  body: DecisionPart[];
}

function readItem(item: InputItem, path: string, context: PartContext): ReadItem {
  switch (item.type) {
    case 'function_call':
      return { title: `assistant calls ${item.name}:\n`, body: [textPart(item.arguments)] };
    case 'custom_tool_call':
      return { title: `assistant calls ${item.name}:\n`, body: [textPart(item.input)] };
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { title: 'tool:\n', body: readContent(item.output, `${path}.output`, context) };
    default:
      return { title: `${item.role}:\n`, body: readContent(item.content, `${path}.content`, context) };
  }
}

/** A text, or parts; several texts stand on lines of their own. */
export function readContent(
  content: string | readonly InputPart[],
  path: string,
  context: PartContext,
): DecisionPart[] {
  if (typeof content === 'string') return [textPart(content)];
  const parts: DecisionPart[] = [];
  for (const [index, part] of content.entries()) {
    if (index > 0) addText(parts, '\n');
    addParts(parts, [readPart(part, `${path}.${index}`, context)]);
  }
  return parts;
}

function readPart(part: InputPart, path: string, { images, onImage }: PartContext): DecisionPart {
  switch (part.type) {
    case 'input_image': {
      const param = `${path}.image_url`;
      onImage(param);
      return images.fromUrl(part.image_url, param, part.detail);
    }
    case 'input_json':
      return textPart(JSON.stringify(part.data));
    case 'refusal':
      return textPart(part.refusal);
    default:
      return textPart(part.text);
  }
}

function addParts(parts: DecisionPart[], more: readonly DecisionPart[]): void {
  for (const part of more) {
    if (part.type === 'text') addText(parts, part.text);
    else parts.push(part);
  }
}

/** Texts that follow each other are one, so that equal inputs are equal however they are cut. */
function addText(parts: DecisionPart[], text: string): void {
  const last = parts.at(-1);
  if (last?.type === 'text') parts[parts.length - 1] = textPart(last.text + text);
  else parts.push(textPart(text));
}

function textPart(text: string): DecisionPart {
  return { type: 'text', text };
}

const CALL_OF = { function_call_output: 'function_call', custom_tool_call_output: 'custom_tool_call' } as const;

/** @throws InferenceError for an output whose call does not come before it */
function refuseOrphans(items: readonly InputItem[]): void {
  const called = { function_call: new Set<string>(), custom_tool_call: new Set<string>() };
  for (const [index, item] of items.entries()) {
    if (item.type === 'function_call' || item.type === 'custom_tool_call') called[item.type].add(item.call_id);
    if (item.type !== 'function_call_output' && item.type !== 'custom_tool_call_output') continue;
    if (called[CALL_OF[item.type]].has(item.call_id)) continue;
    const param = `input.${index}.call_id`;
    const message = `\`${param}\` must be the \`call_id\` of an earlier \`${CALL_OF[item.type]}\`.`;
    throw new InferenceError('invalid_request', message, { param });
  }
}
