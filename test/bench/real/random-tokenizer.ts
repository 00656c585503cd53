/** A byte-level tokenizer whose tokens are bytes and whole words, so that no corpus is needed to train one. */

/** Ids 0 to 2. */
export const SPECIAL_TOKENS = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

/** How conversations become prompts. */
export const TEMPLATE =
  "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}" +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';

/** What the bench's prompts and schemas are made of; the rest of the vocabulary are made-up words. */
export const WORDS =
  'the model reads a long text about rivers and cities because every word of this prompt must be new to the machine while nobody knows what it will say next'.split(
    ' ',
  );
const NAMES = 'first name age home city favourite animal is student system user assistant true false cat dog'.split(
  ' ',
);
/** What a decision says around its question. */
const DEMAND = 'Read input then answer question it Question Answer with Yes or No nothing else'.split(' ');
const MARKS = ['{"', '":', '",', '"}', '_', '.', ',', ':', '\n', 'Ġ"', 'Ġ{', 'Ġ['];

/** How byte-level tokenizers write a byte: printable ones as themselves, the others from U+0100 on. */
function byteCharacters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCharCode(printable ? byte : next++);
  });
}

function madeUpWord(index: number): string {
  const syllables: string[] = [];
  for (let left = index, digit = 0; digit < 4; digit++, left = Math.floor(left / 100)) {
    const syllable = left % 100;
    syllables.push('bdfgklmnprstvzcjhwxq'[Math.floor(syllable / 5)]! + 'aeiou'[syllable % 5]!);
  }
  return `Ġ${syllables.join('')}`;
}

/** `tokenizer.json`. */
export function randomTokenizer(vocabularySize: number): object {
  const bytes = byteCharacters();
  const spelled = MARKS.map((mark) => mark.replace('\n', bytes[10]!));
  const words = [...WORDS, ...NAMES, ...DEMAND].flatMap((word) => [word, `Ġ${word}`]);
  const tokens = new Set([...SPECIAL_TOKENS, ...bytes, ...spelled, ...words]);
  for (let index = 0; tokens.size < vocabularySize; index++) tokens.add(madeUpWord(index));
  const level = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const added = SPECIAL_TOKENS.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: null,
    pre_tokenizer: level,
    post_processor: null,
    decoder: level,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: true,
      vocab: Object.fromEntries([...tokens].map((token, id) => [token, id])),
      merges: [],
    },
  };
}
