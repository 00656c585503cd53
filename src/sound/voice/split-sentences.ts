/** Texts for speaking: cut into what is spoken at a time, without what cannot be spoken. @module */

/** UTF-16 units of a piece: longer ones make the first sound late, and cost models a square of memory. */
const LONGEST = 300;

/** A sentence that ends so goes on: the segmenter takes the full stop for an end. */
const ABBREVIATION = /(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|etc|approx|No|Nos|Fig|e\.g|i\.e|z\.B|d\.h)\.\s+$/;

/** What has none of these is a pause. */
const SPOKEN = /[\p{L}\p{N}]/u;

/**
 * The sentences of a text, which joined are the text; long ones are cut behind clauses or, at worst, between letters. Empty
 * lines, emoji and similar characters in a row count as one pause.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let [open, endsInPause] = ['', false];
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    open += segment;
    if (ABBREVIATION.test(open)) continue;
    const isPause = !SPOKEN.test(open);
    if (isPause && endsInPause) sentences.push(sentences.pop()! + open);
    else sentences.push(...(isPause ? [open] : cutLong(open)));
    endsInPause = isPause;
    open = '';
  }
  if (open !== '') sentences.push(...cutLong(open));
  return sentences;
}

function cutLong(sentence: string): string[] {
  const pieces: string[] = [];
  let rest = sentence;
  while (rest.length > LONGEST) {
    const head = rest.slice(0, LONGEST);
    const clause = /^.*[,;:、，；：–—]\s*/su.exec(head)?.[0] ?? /^.*\s/su.exec(head)?.[0] ?? wholeLetters(head);
    pieces.push(clause);
    rest = rest.slice(clause.length);
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

/** Without the first half of a letter that the cut would divide. */
function wholeLetters(head: string): string {
  const last = head.charCodeAt(head.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? head.slice(0, -1) : head;
}

/** Control characters, halves of letters, unassigned ones, and pictures with their joiners. */
const UNSPOKEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Extended_Pictographic}\p{Regional_Indicator}\u{fe0f}\u{20e3}]+/gu;

/** Marks above a letter; texts that pile up more mean none of them. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** In one line; empty where nothing is left to speak, which is a pause. */
export function speakableText(text: string): string {
  // Digits and letters like © are both pictures and text: only what is not text by itself is left out.
  const plain = text.replaceAll(UNSPOKEN, (run) => (/^[\p{N}©®™]+$/u.test(run) ? run : ' '));
  const line = plain.replaceAll(PILED_MARKS, '$1').replaceAll(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(line) ? line : '';
}
