/** Whether an answer has begun to go round in circles. @module */

/** A passage of at least so many characters is written again: words and cells of a table may be. */
const PASSAGE = 20;

/** The longest passage that is looked for. */
const LONGEST = 400;

/** How often a passage stands at the end before it counts. */
const TIMES = 4;

/** Characters of a shorter passage, such as one word, over and over. */
const SHORT_PASSAGES = 4000;

export function repeatsItself(text: string): boolean {
  for (let size = 1; size <= LONGEST; size++) {
    const span = size < PASSAGE ? SHORT_PASSAGES : size * TIMES;
    if (span > text.length) {
      if (size >= PASSAGE) return false;
      continue;
    }
    if (isPeriodic(text, size, span)) return true;
  }
  return false;
}

/** The last `span` characters are one passage of `size`, over and over; of a shorter one it is not this size's matter. */
function isPeriodic(text: string, size: number, span: number): boolean {
  const start = text.length - span;
  for (let at = text.length - 1; at >= start + size; at--) if (text[at] !== text[at - size]) return false;
  return size < PASSAGE || !hasShorterPeriod(text.slice(-size));
}

/** `word word word word` is a word, four times. */
function hasShorterPeriod(passage: string): boolean {
  const again = (passage + passage).indexOf(passage, 1);
  return again < passage.length;
}
