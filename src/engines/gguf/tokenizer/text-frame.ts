/** Control tokens around texts that are read as a whole, as a file says. @module */
import type { GgufVocabulary } from './vocabulary.js';

export interface TextFrame {
  before: readonly number[];
  /** Between two texts that are read together. */
  between: readonly number[];
  after: readonly number[];
}

export function textFrameOf({ model, special, pieces, addsBegin, addsEnd, addsSeparator }: GgufVocabulary): TextFrame {
  const given = (id: number | undefined): number[] => (id === undefined ? [] : [id]);
  const piece = (text: string): number | undefined => {
    const id = pieces.indexOf(text);
    return id < 0 ? undefined : id;
  };
  const begin = special.bos ?? special.cls;
  const separator = given(special.sep ?? special.eos);
  if (model !== 'bert') {
    const after = addsEnd ? given(special.eos) : addsSeparator ? separator : [];
    return { before: addsBegin ? given(begin) : [], between: separator, after };
  }
  // Encoders always have both.
  const end = separator.length > 0 ? separator : given(piece('[SEP]'));
  return { before: given(begin ?? piece('[CLS]')), between: end, after: end };
}
