/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'none', reasoningFormat: 'think-tags' },
  examples: [
    {
      name: 'a thought, then text',
      output: '<think>\nSo it is.\n</think>\n\nYes.',
      text: 'Yes.',
      reasoning: 'So it is.',
    },
    { name: 'no thought', output: 'Paris.\n', text: 'Paris.\n' },
    {
      name: 'a thought of several paragraphs',
      output: '<think>\nOne.\n\nTwo: a < b.\n</think>\n\nDone.\n\nReally.',
      text: 'Done.\n\nReally.',
      reasoning: 'One.\n\nTwo: a < b.',
    },
    {
      name: 'a thought in another script',
      output: '<think>\n我在思考。\n</think>\n\n答案是42。',
      text: '答案是42。',
      reasoning: '我在思考。',
    },
    { name: 'an empty thought', output: '<think>\n\n</think>\n\nYes.', text: 'Yes.' },
    {
      name: 'tags in the answer',
      output: '<think>a</think>The </think> tag.',
      text: 'The </think> tag.',
      reasoning: 'a',
    },
  ],
};
