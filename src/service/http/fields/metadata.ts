/** Pairs that clients give a response or a conversation. @module */
import * as v from 'valibot';
import { recordOf } from '../../../core/schema/record-of.js';
import { maxCharacters } from './max-characters.js';

const MOST = { pairs: 16, key: 64, value: 512 };

const key = v.pipe(v.string(), v.minLength(1), maxCharacters(MOST.key));
const value = v.pipe(v.string(), maxCharacters(MOST.value));

/** At most {@link MOST}. */
export const pairs = v.pipe(
  recordOf(key, value),
  v.check((sent) => Object.keys(sent).length <= MOST.pairs, `must have at most ${MOST.pairs} pairs`),
);

export const metadata = v.nullish(pairs);
