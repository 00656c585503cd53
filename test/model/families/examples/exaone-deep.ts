/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'none', reasoningFormat: 'exaone-deep' },
  examples: [
    {
      name: 'a thought, then text',
      output: '<thought>\nSo it is.\n</thought>\n\nYes.',
      text: 'Yes.',
      reasoning: 'So it is.',
    },
    { name: 'no thought', output: 'Paris.\n', text: 'Paris.\n' },
    {
      name: 'a thought of several paragraphs',
      output: '<thought>\nOne.\n\nTwo: a < b.\n</thought>\n\nDone.\n\nReally.',
      text: 'Done.\n\nReally.',
      reasoning: 'One.\n\nTwo: a < b.',
    },
    {
      name: 'a thought in another script',
      output: '<thought>\n我在思考。\n</thought>\n\n答案是42。',
      text: '答案是42。',
      reasoning: '我在思考。',
    },
  ],
};
