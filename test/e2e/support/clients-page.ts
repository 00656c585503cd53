/** What the end-to-end tests of the official clients run inside the page. Bundled as one script. */
import Anthropic, * as anthropicErrors from '@anthropic-ai/sdk';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateObject, generateText, stepCountIs, jsonSchema, streamText, tool } from 'ai';
import OpenAI, * as openaiErrors from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import * as z from 'zod';

// Zod would compile its schemas with `new Function`, which the page's policy forbids.
z.config({ jitless: true });

const CHAT = 'tiny-chat';
const CAPITAL = 'What is the capital of France?';
const WEATHER = 'What is the weather in Oslo?';
const person = z.object({ name: z.string(), age: z.number().int().min(0).max(120) });
const city = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] };

interface ClientOptions {
  apiKey?: string;
  maxRetries?: number;
}

function openai({ apiKey = 'none', maxRetries = 0 }: ClientOptions = {}): OpenAI {
  return new OpenAI({ baseURL: `${location.origin}/v1`, apiKey, maxRetries, dangerouslyAllowBrowser: true });
}

function anthropic({ apiKey = 'none', maxRetries = 0 }: ClientOptions = {}): Anthropic {
  return new Anthropic({ baseURL: location.origin, apiKey, maxRetries, dangerouslyAllowBrowser: true });
}

/** Chat completions of tiny-chat: streamed, with a tool that runs in the page, and as an object. */
export async function chatCompletions() {
  const { completions } = openai().chat;
  const stream = completions.stream({ model: CHAT, messages: [{ role: 'user', content: CAPITAL }] });
  let pieces = 0;
  stream.on('content', () => pieces++);
  const text = await stream.finalContent();
  const cities: string[] = [];
  const answer = await completions
    .runTools({
      model: CHAT,
      messages: [{ role: 'user', content: WEATHER }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Get the current weather for a city.',
            parameters: city,
            parse: JSON.parse,
            function: (values: { city: string }) => {
              cities.push(values.city);
              return JSON.stringify({ temperature: 9, condition: 'rainy' });
            },
          },
        },
      ],
      stream: true,
    })
    .finalContent();
  const parsed = await completions.parse({
    model: CHAT,
    messages: [{ role: 'user', content: 'Extract the person: Anna is 31 years old.' }],
    response_format: zodResponseFormat(person, 'person'),
  });
  return { text, pieces, cities, answer, parsed: person.safeParse(parsed.choices[0]?.message.parsed).success };
}

/** The same through Responses, whose stream helper refuses anything out of order. */
export async function responses() {
  const client = openai();
  let pieces = 0;
  const stream = client.responses.stream({ model: CHAT, input: CAPITAL });
  stream.on('response.output_text.delta', () => pieces++);
  const { output_text: text } = await stream.finalResponse();
  const input = 'Extract the person: Anna is 31 years old.';
  const format = zodTextFormat(person, 'person');
  const parsed = await client.responses.parse({ model: CHAT, input, text: { format } });
  return { text, pieces, parsed: person.safeParse(parsed.output_parsed).success };
}

/** Messages: text, a tool, and thinking, all streamed. */
export async function messages() {
  const client = anthropic();
  const ask = (content: string) => ({ model: CHAT, max_tokens: 300, messages: [{ role: 'user' as const, content }] });
  const text = await client.messages.stream(ask(CAPITAL)).finalText();
  const called = await client.messages
    .stream({
      ...ask(WEATHER),
      tools: [{ name: 'get_weather', description: 'Get the current weather for a city.', input_schema: city }],
    })
    .finalMessage();
  let thought = '';
  const thinking = client.messages.stream({
    ...ask('Who are you?'),
    max_tokens: 1500,
    thinking: { type: 'enabled', budget_tokens: 1024 },
  });
  thinking.on('thinking', (piece) => (thought += piece));
  const kinds = (await thinking.finalMessage()).content.map(({ type }) => type);
  const use = called.content.find(({ type }) => type === 'tool_use');
  return { text, reason: called.stop_reason, input: use?.type === 'tool_use' && use.input, thought, kinds };
}

/** The `ai` package on tiny-chat. */
export async function aiSdk() {
  const provider = createOpenAICompatible({
    name: 'inpage',
    baseURL: `${location.origin}/v1`,
    apiKey: 'none',
    supportsStructuredOutputs: true,
  });
  const options = { model: provider(CHAT), maxRetries: 0 };
  const { textStream } = streamText({ ...options, prompt: CAPITAL });
  let text = '';
  for await (const piece of textStream) text += piece;
  const { object } = await generateObject({
    ...options,
    schema: person,
    prompt: 'Extract the person: Anna is 31 years old.',
  });
  const { steps } = await generateText({
    ...options,
    prompt: WEATHER,
    tools: {
      get_weather: tool({
        description: 'Get the current weather for a city.',
        inputSchema: jsonSchema<{ city: string }>(city),
        execute: () => ({ temperature: 9, condition: 'rainy' }),
      }),
    },
    stopWhen: stepCountIs(3),
  });
  return { text, object: person.safeParse(object).success, steps: steps.length, answer: steps.at(-1)?.text };
}

/** Embeddings of tiny-embed, and speech of tiny-whisper. */
export async function embeddingsAndAudio() {
  const client = openai();
  const input = ['a cat sleeps', 'a kitten naps', 'tax return forms'];
  const { data } = await client.embeddings.create({ model: 'tiny-embed', input });
  const [cat = [], kitten = [], tax = []] = data.map(({ embedding }) => embedding);
  const near = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
  const clip = async (name: string): Promise<File> => {
    const response = await fetch(`/models/tiny-whisper/clips/${name}`);
    return new File([await response.blob()], name, { type: 'audio/wav' });
  };
  const english = { model: 'tiny-whisper', file: await clip('en-2.wav') };
  const whole = await client.audio.transcriptions.create(english);
  let streamed = '';
  for await (const event of await client.audio.transcriptions.create({ ...english, stream: true })) {
    if (event.type === 'transcript.text.delta') streamed += event.delta;
  }
  const translated = await client.audio.translations.create({ model: 'tiny-whisper', file: await clip('es-2.wav') });
  return {
    dimensions: cat.length,
    isRanked: near(cat, kitten) > near(cat, tax) + 0.2,
    whole: whole.text,
    streamed: streamed.trim(),
    translated: translated.text,
  };
}

/** A request that fails for a real reason. */
export interface Cause extends ClientOptions {
  model: string;
  temperature?: number;
}

/** The classes that both clients raise for this cause, by their own `instanceof`. */
export async function errorClasses(cause: Cause): Promise<{ openai: string[]; anthropic: string[] }> {
  const { apiKey, maxRetries, ...rest } = cause;
  const body = { ...rest, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const options = { ...(apiKey && { apiKey }), ...(maxRetries && { maxRetries }) };
  return {
    openai: await classesOf(openai(options).chat.completions.create(body), openaiErrors),
    anthropic: await classesOf(anthropic(options).messages.create({ ...body, max_tokens: 10 }), anthropicErrors),
  };
}

async function classesOf(call: Promise<unknown>, errors: object): Promise<string[]> {
  try {
    await call;
    return [];
  } catch (error) {
    return Object.entries(errors)
      .filter(([name, type]) => name.endsWith('Error') && typeof type === 'function' && error instanceof type)
      .map(([name]) => name);
  }
}

/** One question, retried by the client itself. */
export async function askPatiently(apiKey: string, model: string): Promise<string | null | undefined> {
  const { choices } = await openai({ apiKey, maxRetries: 2 }).chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  return choices[0]?.message.content;
}
