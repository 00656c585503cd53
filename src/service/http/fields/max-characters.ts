/** Bounds of texts that count characters as people do: those beyond the basic plane are one, not two halves. @module */
import * as v from 'valibot';

/** At most so many characters. */
export function maxCharacters(limit: number): v.MaxLengthAction<string, number, undefined> {
  const action = v.maxLength<string, number>(limit);
  const run: (typeof action)['~run'] = action['~run'].bind(action);
  return {
    ...action,
    '~run': (dataset, config) => (dataset.typed && !isLonger(dataset.value, limit) ? dataset : run(dataset, config)),
  };
}

function isLonger(text: string, limit: number): boolean {
  // No character is more than two units, so a text of a megabyte is not taken apart.
  if (text.length <= limit || text.length > 2 * limit) return text.length > limit;
  return Array.from(text).length > limit;
}
