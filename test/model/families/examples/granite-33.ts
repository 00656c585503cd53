/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'granite', reasoningFormat: 'granite-3.3' },
  examples: [
    { name: 'a plain answer', output: 'Paris is <far>.', text: 'Paris is <far>.' },
    {
      name: 'a thought and a response',
      output: '<think>So it is.</think><response>Yes.</response>',
      text: 'Yes.',
      reasoning: 'So it is.',
    },
    {
      name: 'a thought and a response on lines',
      output: '<think>\nSo it is.\n</think>\n\n<response>\nYes.\n</response>\n',
      text: 'Yes.',
      reasoning: 'So it is.',
    },
    {
      name: 'a thought, and a response without tags',
      output: '<think>Hm.</think>Yes.',
      text: 'Yes.',
      reasoning: 'Hm.',
    },
    {
      name: 'a thought, then a call',
      output:
        '<think>Look.</think><response><|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</response>',
      reasoning: 'Look.',
      calls: [['get_weather', { city: 'Paris' }]],
    },
    { name: 'cut inside the response', output: '<think>Hm.</think><response>Ye', text: 'Ye', reasoning: 'Hm.' },
  ],
};
