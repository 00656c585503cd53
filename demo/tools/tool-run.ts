/** A conversation in which the model calls a function of this page: ask, call, run, answer. */
import { signal } from '@preact/signals';
import { chatModel } from '../inference.js';
import { problemOf } from '../parts/problem-of.js';
import { callInference } from '../wire/call-inference.js';
import type { WireRequest } from '../wire/wire-log.js';
import type { ExampleTool } from './example-tools.js';

/** One line of the protocol, in the order of events. */
export interface Step {
  who: 'you' | 'model' | 'page';
  /** What happens, as a sentence. */
  title: string;
  text: string;
}

interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface Completion {
  choices: { message: { role: 'assistant'; content: string | null; tool_calls?: ToolCall[] | null } }[];
}

const PATH = '/chat/completions';

export const steps = signal<Step[]>([]);
export const running = signal(false);
export const problem = signal('');

export async function runWithTool(question: string, tool: ExampleTool): Promise<void> {
  if (running.value) return;
  running.value = true;
  problem.value = '';
  steps.value = [{ who: 'you', title: 'You ask', text: question }];
  try {
    await converse(question, tool);
  } catch (error) {
    problem.value = problemOf(error);
  } finally {
    running.value = false;
  }
}

/** What is sent first. */
export function firstRequest(question: string, tool: ExampleTool): WireRequest {
  return { path: PATH, sentAs: 'json', body: bodyWith([{ role: 'user', content: question }], tool) };
}

function bodyWith(messages: object[], { name, description, parameters }: ExampleTool): Record<string, unknown> {
  const tools = [{ type: 'function', function: { name, description, parameters } }];
  return { model: chatModel.value, messages, tools };
}

async function converse(question: string, tool: ExampleTool): Promise<void> {
  const messages: object[] = [{ role: 'user', content: question }];
  const body = bodyWith(messages, tool);
  const asked = await complete(body);
  const call = asked.tool_calls?.[0];
  if (!call) {
    add({ who: 'model', title: 'The model answers without a call', text: asked.content ?? '' });
    return;
  }
  add({ who: 'model', title: `The model calls ${call.function.name}`, text: call.function.arguments });
  const result = JSON.stringify(tool.run(JSON.parse(call.function.arguments) as Record<string, string>));
  add({ who: 'page', title: 'The page runs it, with a made-up result', text: result });
  messages.push(asked, { role: 'tool', tool_call_id: call.id, content: result });
  add({ who: 'model', title: 'The model answers', text: (await complete(body)).content ?? '' });
}

async function complete(body: object): Promise<Completion['choices'][number]['message']> {
  const { choices } = await callInference<Completion>(PATH, { ...body });
  const message = choices[0]?.message;
  if (!message) throw new Error('The answer holds no message.');
  return message;
}

function add(step: Step): void {
  steps.value = [...steps.value, step];
}
