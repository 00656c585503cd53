/** Sentences and schemas that the bundled model manages. */

export interface JsonExample {
  title: string;
  question: string;
  /** As text, to be edited. */
  schema: string;
}

export const FIRST_EXAMPLE: JsonExample = {
  title: 'A person',
  question: 'Anna is 31 years old and lives in Oslo.',
  schema: schemaOf({ name: 'string', age: 'integer', city: 'string' }),
};

export const EXAMPLES: readonly JsonExample[] = [
  FIRST_EXAMPLE,
  {
    title: 'A meeting',
    question: 'Meet Tom on Friday at 3 pm.',
    schema: schemaOf({ name: 'string', day: 'string', time: 'string' }),
  },
  {
    title: 'A booking',
    question: 'Book a table for four on Friday.',
    schema: schemaOf({ people: 'integer', day: 'string' }),
  },
];

function schemaOf(types: Record<string, string>): string {
  const properties = Object.entries(types).map(([name, type]) => `    "${name}": { "type": "${type}" }`);
  return `{
  "type": "object",
  "properties": {
${properties.join(',\n')}
  },
  "required": ${JSON.stringify(Object.keys(types))},
  "additionalProperties": false
}`;
}
