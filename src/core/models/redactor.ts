/** What must not be shown is taken out of texts here, for recordings, the journal, the log and errors alike. @module */

/** Keys by the forms in which services give them out, tokens in headers, JSON Web Tokens and private keys. */
const FORMS = [
  /\b(?:sk|pk|rk|gsk|xai|hf|r8|ghp|gho|ghs|ghu|glpat|npm|github_pat|xox[abps])[-_][\w-]{16,}/gi,
  /\bAIza[\w-]{30,}/gi,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gi,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/gi,
  /(?<=\b(?:bearer|basic) )[\w.~+/=-]{16,}/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gi,
];

export interface RedactorOptions {
  /** What stands where a secret was. @default '[secret]' */
  mark?: string;
  /** Texts that look like keys are secrets as well, and capital letters make no difference. @default false */
  byForm?: boolean;
}

/** Where a secret stands in a text. */
export interface SecretSpan {
  start: number;
  /** Behind its last character. */
  end: number;
}

/** Takes secrets out of texts, and of values in which texts are. No part of one stays, also where several overlap. */
export class Redactor {
  readonly #secrets: readonly string[];
  readonly #mark: string;
  readonly #byForm: boolean;

  /** @param secrets texts that must not be shown anywhere, in any order */
  constructor(secrets: readonly string[], { mark = '[secret]', byForm = false }: RedactorOptions = {}) {
    const folded = secrets.map((secret) => (byForm ? fold(secret) : secret));
    this.#secrets = [...new Set(folded)].filter((secret) => secret !== '');
    this.#mark = mark;
    this.#byForm = byForm;
  }

  /** The secrets of a text from its beginning to its end. What overlaps is one. */
  find(text: string): SecretSpan[] {
    const spans: SecretSpan[] = [];
    const folded = this.#byForm ? fold(text) : text;
    for (const secret of this.#secrets)
      for (let at = folded.indexOf(secret); at !== -1; at = folded.indexOf(secret, at + 1))
        spans.push({ start: at, end: at + secret.length });
    if (this.#byForm)
      for (const form of FORMS)
        for (const { 0: found, index } of text.matchAll(form)) spans.push({ start: index, end: index + found.length });
    return merged(spans);
  }

  text(text: string): string {
    let shown = '';
    let at = 0;
    for (const { start, end } of this.find(text)) {
      shown += text.slice(at, start) + this.#mark;
      at = end;
    }
    return shown + text.slice(at);
  }

  /** A copy without secrets. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [this.text(key), this.value(each)]));
  }

  /** Takes the secrets out of a text that comes in pieces. @returns whether there were any */
  pieces(pieces: readonly { text: string }[]): boolean {
    const whole = pieces.map(({ text }) => text).join('');
    const spans = this.find(whole);
    let end = 0;
    for (const piece of pieces) {
      const start = end;
      end += piece.text.length;
      piece.text = this.#piece(whole, spans, { start, end });
    }
    return spans.length > 0;
  }

  /** Of a secret that reaches beyond the piece, the mark stands where the secret begins. */
  #piece(whole: string, spans: readonly SecretSpan[], piece: SecretSpan): string {
    let shown = '';
    let at = piece.start;
    for (const { start, end } of spans) {
      if (end <= piece.start || start >= piece.end) continue;
      shown += whole.slice(at, Math.max(at, start));
      if (start >= piece.start) shown += this.#mark;
      at = Math.min(piece.end, end);
    }
    return shown + whole.slice(at, piece.end);
  }
}

/** Without capitals, and as long as before. */
function fold(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** What overlaps, as one. */
function merged(spans: readonly SecretSpan[]): SecretSpan[] {
  const all: SecretSpan[] = [];
  for (const { start, end } of spans.toSorted((left, right) => left.start - right.start)) {
    const last = all.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}
