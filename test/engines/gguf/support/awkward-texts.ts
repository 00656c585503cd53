/** Texts that tokenizers cut in different ways. @module */

export const AWKWARD_TEXTS: readonly string[] = [
  'Hello, world! How are you?',
  "I'll say it isn't, they've, we're, I'm, he'd; DON'T, WE'VE, I'LL",
  "'super' 'tis the 'end' of rock'n'roll's 'd' o'clock ''quoted''",
  'In 2024, 1234567 people paid $100.50 or 50% of 3,141,592.65',
  '٣٤٥٦ ½ Ⅷ x² ①②③ 12ab34 ab12cd',
  '  leading, and   several    spaces     within, trailing   ',
  'tabs\tand\t\tmore\t \t mixed\n\tindented\n\t\ttwice',
  'one\ntwo\n\nthree\n\n\nfour\r\nfive\r\n\r\nsix\rseven',
  ' \n \n\n  \n   after blank lines\n  ',
  'def f(x):\n    return x**2 + 3*x - 1  # comment\n\nprint(f(10))',
  'for (let i=0;i<10;i++){console.log(`a${i}`);}//done',
  'https://example.com/a/b?c=d&e=f%20g#h_i-j.k',
  'user.name+tag@example.co.uk, #hash_tag @mention',
  'camelCaseWords HTMLParser iPhone McDonald XMLHttpRequest aB Ab AB ab',
  'Wait... what?! -- no—yes… (maybe) [sic] {ok} <tag/> "q" “r” «s»',
  'Grüße aus Köln, straße, Ärger, ÜBER, naïve café, Ångström',
  'cafe\u0301 e\u0301te\u0301 A\u030a n\u0303o \u0301alone',
  'Привет, мир! Ещё раз: ЁЖ',
  '你好,世界!今天天气很好。我们去2024年',
  'こんにちは、カタカナとひらがな。東京タワー',
  '안녕하세요 세계 한국어',
  'नमस्ते दुनिया, क्षत्रिय हिन्दी',
  'สวัสดีชาวโลก ภาษาไทย',
  'مرحبا بالعالم، كيف حالك؟ שלום עולם',
  '😀 👍🏽 👨‍👩‍👧‍👦 🇩🇪 🏳️‍🌈 ❤️',
  'no\u00a0break em\u2003space ideographic\u3000space next\u0085line zero\u200bwidth mark\ufeffhere',
  'İstanbul ıI ſs ﬁ ǅ ʰ ª º ™ ® ∑∫√ ≠≤ → ⇒ €£¥₿',
  'x'.repeat(40) + ' ' + '-'.repeat(33) + ' ' + '='.repeat(17) + ' ' + '!'.repeat(9),
  '{"name":"a b","list":[1,-2.5,true,null],"text":"line\\nbreak"}',
  '<|end|> <s> </s> <tool_call>{"a":1}</tool_call> <unk> [INST]',
  'कि की का कु कै गो',
  'the the The THE  the',
  ' ',
];

/** Where llama.cpp leaves out combining marks, which the models' own tokenizers do not. */
const WITHOUT_MARKS = new Set(['gpt-4o', 'llama4', 'tekken']);

/** The texts whose ids must be llama.cpp's, for a vocabulary with a `pre`. */
export function comparedTexts(pre: string): readonly string[] {
  return AWKWARD_TEXTS.filter((text) => !WITHOUT_MARKS.has(pre) || !/\p{M}/u.test(text));
}
