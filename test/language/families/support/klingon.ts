/** A made-up family of models. @module */
import { choice, literal, sequence } from '../../../../src/language/grammar/expression.js';
import { JSON_VALUES, objectArguments, triggered } from '../../../../src/language/families/format/call-grammar.js';
import { createMistralParser } from '../../../../src/language/families/mistral.js';
import type { ModelFamily } from '../../../../src/language/families/format/model-family.js';
import { thoughtBlock } from '../../../../src/language/families/kinds/thought-block.js';

/** Thinks between asterisks and calls like Mistral, with other tags. */
export const klingon: ModelFamily = {
  name: 'klingon',
  tools: {
    recognise: (source) => source.includes('(qatlh)'),
    openingTokens: ['(qatlh)'],
    createParser: () => {
      const parser = createMistralParser();
      const translate = (piece: string): string => piece.replaceAll('(qatlh)', '[TOOL_CALLS]');
      return { push: (piece) => parser.push(translate(piece)), end: () => parser.end(), channel: 'text', heldText: '' };
    },
    grammar: {
      tags: ['(qatlh)'],
      values: JSON_VALUES,
      arguments: objectArguments,
      calls(options) {
        const { rules, tools, marker } = options;
        const body = rules.add(choice(...tools.map((tool) => sequence(literal(tool.name), tool.arguments))));
        const open = literal(marker('(qatlh)') ?? '(qatlh)');
        return { required: sequence(open, body), free: triggered(options, ['(qatlh)'], body) };
      },
    },
    write: (calls) => calls.map((each) => `(qatlh)${each.name}${JSON.stringify(each.arguments)}`).join(''),
    instruction: 'Say (qatlh), then the name, then the arguments.',
  },
  reasoning: thoughtBlock({ opens: ['***'], closes: ['/***'], signs: ['***'] }),
};
