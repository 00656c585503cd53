import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText, type ToolSet } from 'ai';
import { openai } from './openai-chat.js';
import { CHAT, type Connection, type Scenario, TEXT } from './scenario.js';

const SENTENCE = 'The shop opens at nine.';
const QUESTION = 'When does the shop open?';

/** A store with one file, as the client waits for it. */
async function makeStore(connection: Connection): Promise<string> {
  const client = openai(connection);
  const { id } = await client.vectorStores.create({ name: 'Shop' });
  await client.vectorStores.files.uploadAndPoll(id, new File([SENTENCE], 'shop.txt'));
  return id;
}

/** Files, vector stores and `file_search` through `openai` and the AI SDK. */
export const fileScenarios: Scenario[] = [
  {
    name: 'openai vectorStores: uploadAndPoll, search, batches, pages and removal',
    run: async (connection) => {
      const client = openai(connection);
      const begin = performance.now();
      const store = await makeStore(connection);
      const { data } = await client.vectorStores.search(store, { query: 'opens' });
      const found = data.find(({ filename }) => filename === 'shop.txt');
      const batch = await client.vectorStores.fileBatches.uploadAndPoll(store, {
        files: [new File(['a b'], 'a.md'), new File(['c d'], 'b.md')],
      });
      const names: string[] = [];
      for await (const { filename } of client.files.list({ limit: 2 })) names.push(filename);
      const content = await (await client.files.content(found!.file_id)).text();
      const removed = await client.vectorStores.delete(store);
      return {
        text: found?.content[0]?.text,
        completed: batch.file_counts.completed,
        all: ['shop.txt', 'a.md', 'b.md'].every((name) => names.includes(name)),
        content,
        removed: removed.deleted,
        // Without `openai-poll-after-ms` each wait is 5 s.
        isQuick: performance.now() - begin < 5000,
      };
    },
    expected: { text: SENTENCE, completed: 2, all: true, content: SENTENCE, removed: true, isQuick: true },
  },
  {
    name: 'openai responses.create and stream with file_search',
    run: async (connection) => {
      const tools = [{ type: 'file_search' as const, vector_store_ids: [await makeStore(connection)] }];
      const asked = { model: CHAT, input: QUESTION, tools, include: ['file_search_call.results' as const] };
      const { output } = await openai(connection).responses.create(asked);
      const stream = await openai(connection).responses.stream(asked).finalResponse();
      const kinds = (response: { output: { type: string }[] }) => response.output.map(({ type }) => type);
      const [search] = output;
      const text = search?.type === 'file_search_call' ? search.results?.[0]?.text : undefined;
      return { kinds: kinds({ output }), streamed: kinds(stream), text };
    },
    expected: {
      kinds: ['file_search_call', 'message'],
      streamed: ['file_search_call', 'message'],
      text: SENTENCE,
    },
  },
  {
    name: '@ai-sdk/openai fileSearch',
    run: async (connection) => {
      const provider = createOpenAI({ ...connection, apiKey: 'any' });
      const vectorStoreIds = [await makeStore(connection)];
      const asked = {
        model: provider(CHAT),
        prompt: QUESTION,
        // Its own types do not fit each other under `exactOptionalPropertyTypes`.
        tools: { file_search: provider.tools.fileSearch({ vectorStoreIds }) } as unknown as ToolSet,
      };
      const { text, toolCalls, toolResults } = await generateText(asked);
      const streamed = streamText(asked);
      return {
        text,
        calls: toolCalls.map(({ toolName }) => toolName),
        results: toolResults.length,
        streamed: await streamed.text,
      };
    },
    expected: { text: TEXT, calls: ['file_search'], results: 1, streamed: TEXT },
  },
];
