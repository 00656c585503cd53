// The habits of wording that make a text odd to read, as far as a pattern can find them. Each pattern has the words to use
// instead. `check-docs.mjs` looks for them in documents and strings: errors, labels, descriptions of fields.

/** What not to write, and what to write instead. */
const PATTERNS = [
  [/\banew\b/i, 'again'],
  [/\b(?:nobody|somebody)\b/i, 'no one, someone, or better: the caller, the user, the page'],
  [/\bunasked\b/i, 'without permission, unless you …'],
  [/\bAbsent: /, '"Default: …" or "If you leave it out, …"'],
  [/(?<!there )\bis no (?!longer\b|more\b|faster\b|reason\b|one\b|telling\b)[a-z]/i, '"is not a …"'],
  [
    /\b(?:takes?|knows?) no (?!longer\b|more\b|memory\b|other\b|characters\b|Service\b|`)[a-z]/,
    '"does not accept …", "does not know …"',
  ],
  [/\bwhich (?:\w+ ){1,4}has not\b/, '"does not have"'],
  [/\bout of reach\b/, 'could not be reached, is not reachable'],
  [/\bgesture of the user\b/, 'user gesture'],
  [/\bthe browser['’]s own model\b/i, "the browser's built-in model"],
  [/\b(?:encoder|decoder) of text\b/, 'text encoder, text decoder'],
  [/\bgiven up\b/, 'timed out, canceled, abandoned'],
  [
    /\b(?:licence|behaviour|colour|favour|honour|centre|(?:de)?quantis|normalis|initialis|optimis|summaris|recognis(?!er))(?:s|e|es|ed|ing|ation)?\b/i,
    'American spelling, as in the APIs of the field',
  ],
];

const COMMENT_OR_STRING =
  /\/\*[\s\S]*?\*\/|(?<![:\w'"`\\])\/\/ .*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** The parts of a file that users read, each with its offset: prose without code, or strings. */
function* readableParts(name, text) {
  if (name.endsWith('.md')) {
    // Code keeps its length, so that offsets stay.
    yield [0, text.replace(/```[\s\S]*?```|`[^`\n]*`/g, (code) => code.replace(/[^\n]/g, ' '))];
    return;
  }
  for (const match of text.matchAll(COMMENT_OR_STRING)) {
    const [part] = match;
    // A string without a space is a name. Comments are matched so that quotes in them open no string.
    if (/^['"`]/.test(part) && /\s/.test(part)) yield [match.index, part];
  }
}

/** One line for each odd wording in a file: place, what was found, what to write. */
export function findOddEnglish(name, text) {
  return [...readableParts(name, text)].flatMap(([offset, part]) =>
    PATTERNS.flatMap(([pattern, better]) =>
      [...part.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map((match) => {
        const line = text.slice(0, offset + match.index).split('\n').length;
        return `${name}:${line}: "${match[0]}": write ${better}`;
      }),
    ),
  );
}

/** Whether the lint reads a file: not copies of the specification and the history. */
export const isProseFile = (name) =>
  /\.(?:md|tsx?|mjs)$/.test(name) &&
  (/^(?:src|demo|\.ci)\//.test(name) || /^(?:README|CONTRIBUTING)\.md$/.test(name)) &&
  name !== '.ci/plain-english.mjs';
