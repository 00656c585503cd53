/** Schemas that the bundled model fills in. */
export const EXAMPLES = [
  {
    title: 'A person',
    question: 'Anna is 31 years old and lives in Oslo.',
    schema: `{
  "type": "object",
  "properties": {
    "name": { "type": "string" },
    "age": { "type": "integer" },
    "city": { "type": "string" }
  },
  "required": ["name", "age", "city"],
  "additionalProperties": false
}`,
  },
] as const;
