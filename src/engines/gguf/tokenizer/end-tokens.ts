/** Which tokens end an answer: as llama.cpp tells them, by the keys of the file and by their text, whatever their kind. @module */
import type { GgufVocabulary } from './vocabulary.js';

/** Texts of tokens that nothing but the end of a turn is written as. */
const END_TEXTS: ReadonlySet<string> = new Set([
  '<|eot_id|>',
  '<|im_end|>',
  '<|end|>',
  '<|return|>',
  '<|call|>',
  '<|flush|>',
  '<|calls|>',
  '<end_of_turn>',
  '<|endoftext|>',
  '</s>',
  '<|eom_id|>',
  '<EOT>',
  '_<EOT>',
  '[EOT]',
  '[EOS]',
  '<|end_of_text|>',
  '<end_of_utterance>',
  '<eos>',
  '<turn|>',
  '<|tool_response>',
  '<｜end▁of▁sentence｜>',
]);

/** Tokens of models that fill in code: the first that a vocabulary has of each kind stands behind a file. */
const FILE_ENDS = [
  { key: 'fimPad', texts: ['<|fim_pad|>', '<fim-pad>', '<fim_pad>', '<PAD>', '[PAD]'] },
  { key: 'fimRepository', texts: ['<|fim_repo|>', '<|repo_name|>', '<fim-repo>', '<REPO>', '<reponame>'] },
  { key: 'fimSeparator', texts: ['<|file_sep|>'] },
] as const;

/** The same without those that only end a message of several: gpt-oss goes on behind `<|end|>`. */
const LAST_ENDS = [
  ['<|return|>', '<|call|>'],
  ['<|flush|>', '<|calls|>'],
] as const;

/** All that is looked for: a map of a whole vocabulary would take longer than the rest. */
const TEXTS: ReadonlySet<string> = new Set([
  ...END_TEXTS,
  ...FILE_ENDS.flatMap(({ texts }) => texts),
  ...LAST_ENDS.flat(),
]);

/** Ids of the tokens that end an answer by their text. They are control tokens, whatever the file says. */
export function endsByText({ pieces, special }: Pick<GgufVocabulary, 'pieces' | 'special'>): Set<number> {
  const ids = new Map<string, number>();
  for (let id = 0; id < pieces.length; id++) if (TEXTS.has(pieces[id]!)) ids.set(pieces[id]!, id);
  const ends = new Set<number>();
  for (const text of END_TEXTS) {
    const id = ids.get(text);
    if (id !== undefined) ends.add(id);
  }
  for (const { key, texts } of FILE_ENDS) {
    const found = special[key] === undefined ? texts.find((text) => ids.has(text)) : undefined;
    if (found !== undefined) ends.add(ids.get(found)!);
  }
  const message = ids.get('<|end|>');
  const isPart = LAST_ENDS.some((texts) => texts.every((text) => ids.has(text)));
  if (message !== undefined && isPart && message !== special.eos) ends.delete(message);
  return ends;
}
