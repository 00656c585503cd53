/** The options of questions as they are read, and what follows from their probabilities. @module */
import type { DecisionOption } from '../../../core/request/decision-request.js';

/** A value of a choice, with what it means. */
interface DescribedValue {
  value: string | boolean;
  description: string | undefined;
}

/** A text that reads like another value of the question stands in double quotes. */
export function choiceOptions(values: readonly DescribedValue[]): DecisionOption[] {
  const taken = new Set<string>(values.flatMap(({ value }) => (typeof value === 'boolean' ? String(value) : [])));
  return values.map(({ value, description }) => {
    let text = String(value);
    if (typeof value === 'string') {
      while (taken.has(text)) text = `"${text}"`;
      taken.add(text);
    }
    return { text, name: String(value), ...(description && { description }) };
  });
}

/** Levels are read by their number. */
export function scoreOptions(levels: readonly { label: string; description: string | undefined }[]): DecisionOption[] {
  return levels.map(({ label, description }, index) => ({
    text: String(index),
    name: label,
    ...(description && { description }),
  }));
}

/** @property yes what speaks for it */
export function predicateOptions({
  yes,
  no,
}: { yes?: string | undefined; no?: string | undefined } = {}): DecisionOption[] {
  return [
    { text: 'Yes', name: 'Yes', ...(yes && { description: yes }) },
    { text: 'No', name: 'No', ...(no && { description: no }) },
  ];
}

/** How sure a distribution is, from 0 (all options alike) to 1: 1 - H / ln n. One option alone is certain. */
export function confidenceOf(probabilities: readonly number[]): number {
  if (probabilities.length < 2) return 1;
  const entropy = probabilities.reduce((sum, share) => (share > 0 ? sum - share * Math.log(share) : sum), 0);
  return Math.min(1, Math.max(0, 1 - entropy / Math.log(probabilities.length)));
}

/** Index of the greatest; the first of equal ones. */
export function mostLikely(probabilities: readonly number[]): number {
  return probabilities.indexOf(Math.max(...probabilities));
}

/** The mean level. */
export function meanLevel(probabilities: readonly number[]): number {
  return probabilities.reduce((sum, share, index) => sum + index * share, 0);
}
