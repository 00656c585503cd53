/** Images as official clients send them: every client must be told the same of the same two pictures. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { generateText } from 'ai';
import OpenAI from 'openai';
import type { TransformersEntry } from '../../../src/core/models/model-entry.js';
import type { Connection } from './scenario.js';

/** Served beside the demo, see `test/e2e/support/serve-demo.ts`. */
export const SEEING_MODEL: TransformersEntry = {
  id: 'seeing',
  task: 'chat',
  backend: 'transformers',
  source: '/vision/qwen2-vl/',
  device: 'wasm',
  dtype: 'fp32',
};

const MODEL = SEEING_MODEL.id;
const TEXT = 'What has changed?';
const TOKENS = 8;

/** Base64 of two pictures. */
type Pictures = readonly [string, string];

type Ask = (connection: Connection, pictures: Pictures) => Promise<string>;

const dataURL = (base64: string): string => `data:image/png;base64,${base64}`;
const key = { apiKey: 'any', maxRetries: 0, dangerouslyAllowBrowser: true };

/** What each client is told. */
export const IMAGE_CLIENTS: Record<string, Ask> = {
  'openai chat': async (connection, pictures) => {
    const images = pictures.map((picture) => ({ type: 'image_url' as const, image_url: { url: dataURL(picture) } }));
    const { choices } = await new OpenAI({ ...connection, ...key }).chat.completions.create({
      model: MODEL,
      max_tokens: TOKENS,
      messages: [{ role: 'user', content: [...images, { type: 'text', text: TEXT }] }],
    });
    return choices[0]!.message.content!;
  },
  'openai responses': async (connection, pictures) => {
    const images = pictures.map((picture) => ({
      type: 'input_image' as const,
      image_url: dataURL(picture),
      detail: 'auto' as const,
    }));
    const { output_text: text } = await new OpenAI({ ...connection, ...key }).responses.create({
      model: MODEL,
      max_output_tokens: TOKENS,
      input: [{ role: 'user', content: [...images, { type: 'input_text', text: TEXT }] }],
    });
    return text;
  },
  anthropic: async ({ fetch, baseURL }, pictures) => {
    const client = new Anthropic({ fetch, baseURL: baseURL.replace(/\/v1$/, ''), ...key });
    const images = pictures.map((data) => ({
      type: 'image' as const,
      source: { type: 'base64' as const, media_type: 'image/png' as const, data },
    }));
    const { content } = await client.messages.create({
      model: MODEL,
      max_tokens: TOKENS,
      messages: [{ role: 'user', content: [...images, { type: 'text', text: TEXT }] }],
    });
    return content[0]?.type === 'text' ? content[0].text : '';
  },
  'ai with @ai-sdk/openai': async (connection, pictures) =>
    askWithAi(createOpenAI({ ...connection, apiKey: 'any' }).chat(MODEL), pictures),
  'ai with @ai-sdk/anthropic': async (connection, pictures) =>
    askWithAi(createAnthropic({ ...connection, apiKey: 'any' })(MODEL), pictures),
};

async function askWithAi(model: Parameters<typeof generateText>[0]['model'], pictures: Pictures): Promise<string> {
  const images = pictures.map((image) => ({ type: 'image' as const, image, mediaType: 'image/png' }));
  const { text } = await generateText({
    model,
    maxOutputTokens: TOKENS,
    messages: [{ role: 'user', content: [...images, { type: 'text', text: TEXT }] }],
  });
  return text;
}

/** What every client is told, and how many input tokens Messages counts. */
export async function tellOfImages(
  connection: Connection,
  pictures: Pictures,
): Promise<{ texts: Record<string, string>; counted: number }> {
  const texts: Record<string, string> = {};
  for (const [name, ask] of Object.entries(IMAGE_CLIENTS)) texts[name] = await ask(connection, pictures);
  const client = new Anthropic({ fetch: connection.fetch, baseURL: connection.baseURL.replace(/\/v1$/, ''), ...key });
  const images = pictures.map((data) => ({
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png' as const, data },
  }));
  const { input_tokens: counted } = await client.messages.countTokens({
    model: MODEL,
    messages: [{ role: 'user', content: [...images, { type: 'text', text: TEXT }] }],
  });
  return { texts, counted };
}

/** A picture as a client would read it from a file. */
export function drawnPicture(seed: number): string {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [64, 48];
  const context = canvas.getContext('2d')!;
  context.fillStyle = `hsl(${seed * 80} 90% 50%)`;
  context.fillRect(0, 0, 64, 48);
  context.fillStyle = `hsl(${seed * 40 + 150} 90% 30%)`;
  context.fillRect(8 * seed, 10, 20, 30);
  return canvas.toDataURL('image/png').split(',')[1]!;
}
