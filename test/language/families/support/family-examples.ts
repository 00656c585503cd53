/** The examples of all families. @module */
import { type FamilyExamples, readExamples } from './read-examples.js';

const files = import.meta.glob<string>('../examples/*.txt', { query: '?raw', import: 'default', eager: true });

/** One record for each file of `examples/`. */
export function familyExamples(): FamilyExamples[] {
  return Object.entries(files).map(([file, content]) => {
    try {
      return readExamples(content);
    } catch (error) {
      throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
    }
  });
}
