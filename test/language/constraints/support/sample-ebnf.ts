/** Random texts of a grammar, in the part of xgrammar's EBNF that our grammars are printed in. @module */

type Node =
  | { type: 'text'; text: string }
  | { type: 'class'; excluded: boolean; ranges: [number, number][] }
  | { type: 'rule'; name: string }
  | { type: 'sequence'; parts: Node[] }
  | { type: 'choice'; options: Node[] }
  | { type: 'repeat'; part: Node; min: number; max: number }
  | { type: 'until'; stops: string[]; triggers: Dispatch[]; again: boolean }
  | { type: 'triggered'; triggers: Dispatch[] };

interface Dispatch {
  text: string;
  rule: string;
}

/** The rules of a grammar by name. Tests draw from one grammar many times: the last one is kept. */
let lastRead: { ebnf: string; rules: Map<string, Node> } | undefined;

function readRules(ebnf: string): Map<string, Node> {
  if (lastRead?.ebnf === ebnf) return lastRead.rules;
  const rules = new Map<string, Node>();
  for (const line of ebnf.trim().split('\n')) {
    const at = line.indexOf(' ::= ');
    rules.set(line.slice(0, at), new EbnfReader(line.slice(at + 5)).read());
  }
  lastRead = { ebnf, rules };
  return rules;
}

/** Draws texts from a grammar. @param random from 0 to 1 */
export function sampleEbnf(ebnf: string, random: () => number): string {
  const rules = readRules(ebnf);
  let steps = 0;
  const pick = (count: number): number => Math.min(count - 1, Math.floor(random() * count));
  const draw = (node: Node): string => {
    steps += 1;
    switch (node.type) {
      case 'text':
        return node.text;
      case 'class':
        return drawCharacter(node, random);
      case 'rule':
        return draw(rules.get(node.name)!);
      case 'sequence':
        return node.parts.map(draw).join('');
      case 'choice':
        // A text that has become long takes the last option, which ends recursions of ours.
        return draw(node.options[steps > 20_000 ? node.options.length - 1 : pick(node.options.length)]!);
      case 'repeat': {
        const count = node.min + (steps > 20_000 ? 0 : pick(Math.min(node.max - node.min, 4) + 1));
        return Array.from({ length: count }, () => draw(node.part)).join('');
      }
      case 'until': {
        const { again, stops, triggers } = node;
        const called =
          triggers.length > 0 && steps < 20_000 && random() < 0.4 ? triggers[pick(triggers.length)] : undefined;
        if (!called) return words(random) + stops[pick(stops.length)]!;
        return (
          words(random) +
          called.text +
          draw(rules.get(called.rule)!) +
          (again ? draw(node) : stops[pick(stops.length)]!)
        );
      }
      case 'triggered': {
        if (node.triggers.length === 0 || random() < 0.3) return words(random);
        const { text, rule } = node.triggers[pick(node.triggers.length)]!;
        return words(random) + text + draw(rules.get(rule)!);
      }
    }
  };
  return withBytes(draw({ type: 'rule', name: 'root' }));
}

/** A byte beyond ASCII stands here until its neighbours are known. */
const BYTES = 0xf700;

/** Bytes of UTF-8 as the characters that they are. */
function withBytes(text: string): string {
  return text.replace(/[\uf780-\uf7ff]+/g, (bytes) =>
    new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes, (each) => each.charCodeAt(0) - BYTES)),
  );
}

const WORDS = ['so', ' ', 'be\nit', '"', '{', ' é', '1'];

function words(random: () => number): string {
  return Array.from({ length: Math.floor(random() * 4) }, () => WORDS[Math.floor(random() * WORDS.length)]!).join('');
}

function drawCharacter({ excluded, ranges }: Extract<Node, { type: 'class' }>, random: () => number): string {
  // The engine takes the ends of ranges beyond ASCII for bytes.
  if (!excluded && ranges[0]![0] >= 0x80) {
    const [first, last] = ranges[Math.floor(random() * ranges.length)]!;
    return String.fromCharCode(BYTES + first + Math.floor(random() * (last - first + 1)));
  }
  const isIn = (code: number): boolean => ranges.some(([first, last]) => first <= code && code <= last);
  const all = [9, 10, 13, 0x20, 0x22, 0x27, 0x5c, 0x61, 0x7a, 0x41, 0x30, 0x39, 0x2e, 0x7b, 0x3c, 0xe9, 0x1f600];
  const fitting = all.filter((code) => isIn(code) !== excluded);
  const [first, last] = ranges[Math.floor(random() * ranges.length)] ?? [0x61, 0x61];
  const code = excluded || fitting.length > 8 ? fitting[Math.floor(random() * fitting.length)] : undefined;
  return String.fromCodePoint(code ?? first + Math.floor(random() * (last - first + 1)));
}

class EbnfReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): Node {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new Error(`Unread grammar: ${this.#text.slice(this.#at, this.#at + 40)}`);
    return node;
  }

  #choice(): Node {
    const options = [this.#sequence()];
    while (this.#take(' | ')) options.push(this.#sequence());
    return options.length === 1 ? options[0]! : { type: 'choice', options };
  }

  #sequence(): Node {
    const parts = [this.#repeated()];
    while (this.#text[this.#at] === ' ' && this.#text[this.#at + 1] !== '|') {
      this.#at += 1;
      parts.push(this.#repeated());
    }
    return parts.length === 1 ? parts[0]! : { type: 'sequence', parts };
  }

  #repeated(): Node {
    const part = this.#single();
    if (this.#take('*')) return { type: 'repeat', part, min: 0, max: Infinity };
    if (this.#take('?')) return { type: 'repeat', part, min: 0, max: 1 };
    const bounds = this.#match(/^\{(\d+),(\d*)\}/);
    if (!bounds) return part;
    return { type: 'repeat', part, min: Number(bounds[1]), max: bounds[2] ? Number(bounds[2]) : Infinity };
  }

  #single(): Node {
    if (this.#take('(')) {
      const inner = this.#choice();
      if (!this.#take(')')) throw new Error('A bracket is open.');
      return inner;
    }
    const dispatch = this.#match(/^TagDispatch\(((?:"(?:[^"\\]|\\.)*"|[^"()]|\((?:"(?:[^"\\]|\\.)*"|[^"()])*\))*)\)/);
    if (dispatch) return readDispatch(dispatch[1]!);
    const quoted = this.#match(/^"((?:[^"\\]|\\.)*)"/);
    if (quoted) return { type: 'text', text: unescape(quoted[1]!) };
    const characterClass = this.#match(/^\[(\^?)((?:[^\]\\]|\\.)*)\]/);
    if (characterClass) return readClass(characterClass[2]!, characterClass[1] === '^');
    const name = this.#match(/^\w+/);
    if (!name) throw new Error(`No grammar: ${this.#text.slice(this.#at, this.#at + 40)}`);
    return { type: 'rule', name: name[0] };
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(this.#text.slice(this.#at));
    if (!found) return undefined;
    this.#at += found[0].length;
    return found;
  }
}

function readDispatch(source: string): Node {
  const stops = /stop_str=\(([^)]+)\)/.exec(source)?.[1];
  const strings = (text: string): string[] =>
    [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, each]) => unescape(each!));
  const triggers = [...source.matchAll(/\(("(?:[^"\\]|\\.)*"), (\w+)\)/g)].map(([, text, rule]) => ({
    text: strings(text!)[0]!,
    rule: rule!,
  }));
  if (!stops?.includes('"')) return { type: 'triggered', triggers };
  return { type: 'until', stops: strings(stops), triggers, again: source.includes('loop_after_dispatch=true') };
}

function readClass(source: string, excluded: boolean): Node {
  const codes = [...source.matchAll(/\\u([\da-f]{4})|\\U([\da-f]{8})|([^\\])/g)].map(([, short, long, plain]) =>
    plain === undefined ? Number.parseInt(short ?? long!, 16) : plain,
  );
  const ranges: [number, number][] = [];
  const codeOf = (each: number | string): number => (typeof each === 'string' ? each.codePointAt(0)! : each);
  for (let index = 0; index < codes.length; index++) {
    const isRange = codes[index + 1] === '-' && index + 2 < codes.length;
    ranges.push([codeOf(codes[index]!), codeOf(codes[isRange ? index + 2 : index]!)]);
    if (isRange) index += 2;
  }
  return { type: 'class', excluded, ranges };
}

function unescape(text: string): string {
  return text.replace(
    /\\u([\da-f]{4})|\\U([\da-f]{8})|\\(.)/g,
    (_, short?: string, long?: string, plain?: string) =>
      plain ?? String.fromCodePoint(Number.parseInt(short ?? long!, 16)),
  );
}
