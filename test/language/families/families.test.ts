import { expect, it } from 'vitest';
import { REASONING_FORMATS, TOOL_FORMATS } from '../../../src/core/models/answer-formats.js';
import { MODEL_FAMILIES } from '../../../src/language/families/families.js';
import type { ModelFamily } from '../../../src/language/families/format/model-family.js';

const families: readonly ModelFamily[] = MODEL_FAMILIES;
const names = (which: 'tools' | 'reasoning') => families.filter((family) => family[which]).map(({ name }) => name);

it('has a family for every public format name, and a name for every family', () => {
  expect(names('tools').toSorted()).toEqual([...TOOL_FORMATS].toSorted());
  expect(names('reasoning').toSorted()).toEqual([...REASONING_FORMATS].toSorted());
});
