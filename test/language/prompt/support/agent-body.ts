/** Bodies of `/messages` as large as coding agents send them: long instructions and 25 tools. */

const SENTENCES = [
  'Read a file before you change it, and keep to the style that the file already has.',
  'Run the tests that cover what you touched, and say plainly which of them failed.',
  'Never write outside of the working folder unless the user has asked for it by name.',
  'Prefer small commits whose messages say what changed and why it had to change.',
];

const paragraph = (index: number, sentences: number): string =>
  `## Section ${index}\n${Array.from({ length: sentences }, (_, at) => SENTENCES[(index + at) % SENTENCES.length]).join(' ')}\n`;

/** A tool with a long description and a schema with bounds, as schema libraries write them. */
export function agentTool(name: string): Record<string, unknown> {
  return {
    name,
    description: paragraph(name.length, 9),
    input_schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        file_path: { type: 'string', description: 'The absolute path to the file.', maxLength: 4096 },
        query: { type: 'string', description: SENTENCES[0] },
        limit: { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991, description: SENTENCES[1] },
        mode: { type: 'string', enum: ['low', 'medium', 'high'], description: SENTENCES[2] },
      },
      required: ['query'],
      additionalProperties: false,
    },
  };
}

/** @param more tools behind the 25 */
export function agentBody(messages: readonly object[], more: readonly object[] = []): Record<string, unknown> {
  return {
    model: 'scripted-chat',
    max_tokens: 32_000,
    system: [
      { type: 'text', text: 'You are a command line tool for software engineering.' },
      {
        type: 'text',
        text: Array.from({ length: 60 }, (_, index) => paragraph(index, 6)).join('\n'),
        cache_control: { type: 'ephemeral' },
      },
    ],
    tools: [...Array.from({ length: 25 }, (_, index) => agentTool(`tool_${index}`)), ...more],
    thinking: { type: 'adaptive' },
    messages,
  };
}

/** A call and its result. */
export const toolTurn = (id: string): object[] => [
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id, name: 'tool_1', input: { query: 'test' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: id, content: 'a.ts: 3 tests failed', cache_control: { type: 'ephemeral' } },
    ],
  },
];
