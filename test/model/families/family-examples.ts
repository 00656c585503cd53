/** Outputs of models and what they mean: the examples beside each family. Only tests read them. @module */
import type { Tool } from '../../../src/core/request/tool.js';
import type { AnswerFormats } from '../../../src/model/families/answer-syntax.js';

/** One output. What is absent is empty. */
export interface FamilyExample {
  name: string;
  output: string;
  text?: string;
  reasoning?: string;
  /** Names and arguments of complete calls. */
  calls?: readonly (readonly [name: string, given: object])[];
  /** The call that was cut, and the JSON of its arguments as far as it is certain. */
  open?: readonly [name: string, given: string];
}

export interface FamilyExamples {
  formats: AnswerFormats;
  examples: readonly FamilyExample[];
}

/** The tools that the examples call. */
export const EXAMPLE_TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    description: 'Tells the weather.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 14 } },
      required: ['city'],
    },
  },
  {
    name: 'search',
    description: 'Searches.',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['query'],
    },
  },
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
  {
    name: 'set_light',
    parameters: {
      type: 'object',
      properties: {
        on: { type: 'boolean' },
        level: { type: 'number', minimum: 0, maximum: 1 },
        color: { enum: ['red', 'blue', null] },
      },
      required: ['on'],
    },
  },
  {
    name: 'book',
    parameters: {
      type: 'object',
      properties: {
        guest: {
          type: 'object',
          properties: { name: { type: 'string', maxLength: 20 }, age: { type: 'integer' }, tags: { type: 'array' } },
          required: ['name'],
        },
        nights: { type: 'integer' },
      },
      required: ['guest'],
    },
  },
  { name: 'now' },
];
