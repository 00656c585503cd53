/** Outputs in the syntax of this family, and what they mean. @module */
import type { FamilyExamples } from '../family-examples.js';

export const EXAMPLES: FamilyExamples = {
  formats: { toolFormat: 'none', reasoningFormat: 'think-brackets' },
  examples: [
    { name: 'a thought, then text', output: '[THINK]So it is.[/THINK]Yes.', text: 'Yes.', reasoning: 'So it is.' },
    { name: 'no thought', output: 'Paris.\n', text: 'Paris.\n' },
    {
      name: 'a thought of several paragraphs',
      output: '[THINK]One.\n\nTwo: a < b.[/THINK]Done.\n\nReally.',
      text: 'Done.\n\nReally.',
      reasoning: 'One.\n\nTwo: a < b.',
    },
    {
      name: 'a thought in another script',
      output: '[THINK]我在思考。[/THINK]答案是42。',
      text: '答案是42。',
      reasoning: '我在思考。',
    },
  ],
};
