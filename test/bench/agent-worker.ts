/** A coding agent's prompts: made by us, and by transformers.js's own template and tokenizer. */
import { AutoTokenizer, env } from '@huggingface/transformers';
import { Tokenizer } from '@huggingface/tokenizers';
import { plainGenerationRequest } from '../../src/core/request/generation-request.js';
import type { JsonSchema } from '../../src/core/request/tool.js';
import { renderPrompt } from '../../src/language/prompt/render-prompt.js';
import { createTextTokenizer, specialTokensOf, type TextTokenizer } from '../../src/language/prompt/text-tokenizer.js';
import { agentBody } from '../language/prompt/support/agent-body.js';

/** Another conversation for each `round`; its second turn has a call and its result. */
export interface AgentOrder {
  kind: 'ours' | 'bare';
  round: number;
}

const FORMATS = { toolFormat: 'hermes', reasoningFormat: 'none' } as const;
const FOLDER = '/models/tiny-chat';

async function loadOurs(): Promise<TextTokenizer> {
  const read = async (file: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${FOLDER}/${file}`)).json()) as Record<string, unknown>;
  const [json, config] = [await read('tokenizer.json'), await read('tokenizer_config.json')];
  return createTextTokenizer({
    tokenizer: new Tokenizer(json, config),
    json,
    specialTokens: specialTokensOf(config),
    endTokens: [],
    chatTemplate: config['chat_template'] as string,
  });
}

function loadPeer() {
  Object.assign(env, { allowLocalModels: true, allowRemoteModels: false, localModelPath: '/' });
  return AutoTokenizer.from_pretrained(FOLDER);
}

let ours: ReturnType<typeof loadOurs> | undefined;
let peer: ReturnType<typeof loadPeer> | undefined;

interface Body {
  system: { text: string }[];
  tools: { name: string; description: string; input_schema: JsonSchema }[];
}

/** Milliseconds for the second turn's prompt, and how many tokens it has. */
async function measure({ kind, round }: AgentOrder): Promise<{ time: number; tokens: number }> {
  const { system, tools } = agentBody([]) as unknown as Body;
  const instructions = `${round} ${system.map(({ text }) => text).join('\n')}`;
  const turns = [
    { role: 'system', content: instructions },
    { role: 'user', content: 'Fix the test.' },
    { role: 'assistant', content: 'I look.' },
    { role: 'user', content: 'a.ts: 3 tests failed' },
  ] as const;
  const count = async (messages: readonly { role: string; content: string }[]): Promise<number> => {
    if (kind === 'bare') {
      const functions = tools.map(({ name, description, input_schema: parameters }) => ({
        type: 'function',
        function: { name, description, parameters },
      }));
      const options = { tools: functions, add_generation_prompt: true, return_tensor: false } as const;
      const ids = (await (peer ??= loadPeer())).apply_chat_template(messages as never, options as never) as unknown;
      return (Array.isArray(ids) ? ids : (ids as { input_ids: number[] }).input_ids).length;
    }
    const canonical = messages.map(({ role, content }) => ({
      role,
      content: [{ type: 'text', text: content }],
      toolCalls: [],
    }));
    const request = {
      ...plainGenerationRequest('tiny-chat', { type: 'chat', messages: canonical as never }),
      tools: tools.map(({ name, description, input_schema: parameters }) => ({ name, description, parameters })),
    };
    return renderPrompt(request, await (ours ??= loadOurs()), FORMATS).tokens.length;
  };
  await count(turns.slice(0, 2));
  const start = performance.now();
  const tokens = await count(turns);
  return { time: performance.now() - start, tokens };
}

globalThis.addEventListener('message', ({ data }: MessageEvent<AgentOrder>) => {
  measure(data).then(
    (result) => globalThis.postMessage(result),
    (error: unknown) => globalThis.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
