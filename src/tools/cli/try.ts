/** `inpage try`. @module */
import { type Command, UsageError } from './command.js';
import { print } from './print.js';
import { readWords } from './read-words.js';

const QUESTION = 'What is the capital of France?';

/** Asks a model one question, without a server that stays. */
export const tryOut: Command = {
  summary:
    'Asks a model one question and prints the answer: the bundled one, or MODEL, a .gguf file or a repository of the hub.',
  usage: ['try [QUESTION] [--model MODEL]'],
  options: {
    model: {
      type: 'string',
      value: 'MODEL',
      help: 'As for `inpage serve`: ./model.gguf, owner/name, owner/name:Q4_K_M.',
    },
  },
  examples: ['npx inpage try', 'npx inpage try "Tell me about the sea." --model ./model.gguf'],
  async run(words, { model }) {
    const question = words.join(' ') || QUESTION;
    const { serveInference } = await import('../../serve/serve-inference.js');
    const models = typeof model === 'string' ? await readWords([model], {}) : undefined;
    if (models && models[0]!.task !== 'chat')
      throw new UsageError(`\`--model\` must be a chat model, and \`${String(model)}\` is one for ${models[0]!.task}.`);
    const server = await serveInference({ compatibility: 'hosted', ...(models && { models }) });
    try {
      await ask(server.baseURL, models?.[0]?.id ?? 'tiny-chat', question);
    } finally {
      await server.close();
    }
  },
};

/** Prints an answer as it comes. @throws Error with the service's own message */
async function ask(baseURL: string, model: string, content: string): Promise<void> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] });
  const response = await fetch(`${baseURL}/chat/completions`, { method: 'POST', body });
  if (!response.ok || !response.body) throw new Error(messageOf(await response.text()));
  let rest = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) printEvent(event);
  }
  print('\n');
}

function printEvent(event: string): void {
  if (!event.startsWith('data: {')) return;
  const { choices, error } = JSON.parse(event.slice('data: '.length)) as {
    choices?: { delta: { content?: string | null } }[];
    error?: { message: string };
  };
  if (error) throw new Error(error.message);
  print(choices?.[0]?.delta.content ?? '');
}

function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { error: { message: string } }).error.message;
  } catch {
    return text;
  }
}
