/** What can be spoken of a text. @module */

/** Control characters, halves of letters, unassigned ones, and pictures with their joiners. */
const UNSPOKEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Extended_Pictographic}\p{Regional_Indicator}\u{fe0f}\u{20e3}]+/gu;

/** Marks above a letter; texts that pile up more mean none of them. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** In one line; empty where nothing is left to speak, which is a pause. */
export function speakableText(text: string): string {
  // Digits and letters like © are both pictures and text: only what is no text by itself is left out.
  const plain = text.replaceAll(UNSPOKEN, (run) => (/^[\p{N}©®™]+$/u.test(run) ? run : ' '));
  const line = plain.replaceAll(PILED_MARKS, '$1').replaceAll(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(line) ? line : '';
}
