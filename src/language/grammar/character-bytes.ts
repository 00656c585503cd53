/**
 * Characters beyond ASCII as their bytes of UTF-8. The grammar engine knows classes of bytes, but of the characters beyond
 * ASCII only all together, so a class of some of them is written byte by byte: a tree whose leaves are what follows.
 * @module
 */
import { type CodePointRange, type Expression, bytes, choice, sequence } from './expression.js';

/** Where characters go on: a class of theirs, or a byte and the tree behind it. */
type ByteTree = { leaf: number } | BytePlace;

interface BytePlace {
  id: number;
  edges: readonly { range: CodePointRange; to: ByteTree }[];
  /** More than one byte leads here. */
  isShared: boolean;
}

/** Characters of classes: all of a class go on alike. */
export interface ClassedRange {
  range: CodePointRange;
  symbolClass: number;
}

/** What follows a class of characters, and a name that is the same for the same continuation. */
export interface Continuation {
  name: string;
  expression: Expression;
}

/** The bytes of the characters of some classes. */
export class CharacterBytes {
  /** How many places inside characters there are. */
  readonly size: number;
  readonly #tree: ByteTree;
  readonly #added = new Map<string, Continuation>();
  readonly #add: (body: Expression) => Expression;

  /**
   * @param ranges in order; what is ASCII or a surrogate is passed over
   * @param add makes a rule of an expression
   */
  constructor(ranges: readonly ClassedRange[], add: (body: Expression) => Expression) {
    const nodes = new Map<string, BytePlace>();
    this.#tree = treeOf(ranges.flatMap(sequencesOf), nodes);
    this.size = nodes.size;
    this.#add = add;
  }

  /** The ways to write a character. @param follow what comes after a class; undefined: its characters are not written */
  ways(follow: (symbolClass: number) => Continuation | undefined): Expression[] {
    const known = new Map<number, Continuation | undefined>();
    const after = (tree: ByteTree): Continuation | undefined => {
      if ('leaf' in tree) return follow(tree.leaf);
      if (!known.has(tree.id)) known.set(tree.id, this.#joined(optionsOf(tree, after), tree.isShared));
      return known.get(tree.id);
    };
    return 'leaf' in this.#tree ? [] : optionsOf(this.#tree, after).map(({ expression }) => expression);
  }

  /** The options as one continuation, each made once: a rule, if there are several or several lead to it. */
  #joined(options: readonly Continuation[], isShared: boolean): Continuation | undefined {
    if (options.length === 0) return undefined;
    const key = options.map(({ name }) => name).join('|');
    let joined = this.#added.get(key);
    if (joined === undefined) {
      const body = choice(...options.map(({ expression }) => expression));
      // A short name: names are parts of names.
      const name = `#${this.#added.size}`;
      joined = { name, expression: options.length === 1 && !isShared ? body : this.#add(body) };
      this.#added.set(key, joined);
    }
    return joined;
  }
}

/** The ways on from a place inside a character, those that lead to the same as one. */
function optionsOf(tree: BytePlace, after: (tree: ByteTree) => Continuation | undefined): Continuation[] {
  const groups = new Map<string, { ranges: CodePointRange[]; next: Continuation }>();
  for (const { range, to } of tree.edges) {
    const next = after(to);
    if (next === undefined) continue;
    const group = groups.get(next.name);
    if (group === undefined) groups.set(next.name, { ranges: [range], next });
    else pushRange(group.ranges, range);
  }
  return [...groups.values()].map(({ ranges, next }) => ({
    name: `${ranges.map(([first, last]) => `${first}-${last}`).join(',')}>${next.name}`,
    expression: sequence(bytes(...ranges), next.expression),
  }));
}

/** The bytes of a range of characters that all have the same number of them, byte by byte; what it leads to. */
interface ByteSequence {
  bytes: readonly CodePointRange[];
  leaf: number;
}

/** @param sequences in order; their first bytes are the same or do not meet */
function treeOf(sequences: readonly ByteSequence[], nodes: Map<string, BytePlace>): ByteTree {
  const [first] = sequences;
  if (first?.bytes.length === 0) return { leaf: first.leaf };
  const groups: { range: CodePointRange; rest: ByteSequence[] }[] = [];
  for (const { bytes: own, leaf } of sequences) {
    const [range, ...others] = own as [CodePointRange, ...CodePointRange[]];
    const last = groups.at(-1);
    if (last?.range[0] === range[0]) last.rest.push({ bytes: others, leaf });
    else groups.push({ range, rest: [{ bytes: others, leaf }] });
  }
  const edges: { range: CodePointRange; to: ByteTree }[] = [];
  for (const { range, rest } of groups) {
    const to = treeOf(rest, nodes);
    const before = edges.at(-1);
    if (before !== undefined && before.range[1] === range[0] - 1 && nameOf(before.to) === nameOf(to))
      before.range = [before.range[0], range[1]];
    else edges.push({ range, to });
  }
  const key = edges.map(({ range, to }) => `${range.join('-')}>${nameOf(to)}`).join(' ');
  const known = nodes.get(key);
  if (known !== undefined) known.isShared = true;
  const node = known ?? { id: nodes.size, edges, isShared: false };
  nodes.set(key, node);
  return node;
}

function nameOf(tree: ByteTree): string {
  return 'leaf' in tree ? `c${tree.leaf}` : String(tree.id);
}

/** Characters with two, three and four bytes, without surrogates. */
const LENGTHS: readonly CodePointRange[] = [
  [0x80, 0x7ff],
  [0x800, 0xd7ff],
  [0xe000, 0xffff],
  [0x1_0000, 0x10_ffff],
];

function sequencesOf({ range: [first, last], symbolClass }: ClassedRange): ByteSequence[] {
  return LENGTHS.flatMap(([from, to]) => evenRanges(Math.max(first, from), Math.min(last, to))).map(
    ([low, high]): ByteSequence => {
      const [lowest, highest] = [utf8Of(low), utf8Of(high)];
      return { bytes: lowest.map((byte, index): CodePointRange => [byte, highest[index]!]), leaf: symbolClass };
    },
  );
}

/** Ranges whose bytes can be chosen one by one: all bytes behind one that differs are free. */
function evenRanges(first: number, last: number): CodePointRange[] {
  if (first > last) return [];
  const count = first < 0x800 ? 2 : first < 0x1_0000 ? 3 : 4;
  for (let index = 1; index < count; index += 1) {
    const free = 2 ** (6 * index) - 1;
    if (Math.floor(first / (free + 1)) === Math.floor(last / (free + 1))) continue;
    if ((first & free) !== 0) return [...evenRanges(first, first | free), ...evenRanges((first | free) + 1, last)];
    if ((last & free) !== free) return [...evenRanges(first, (last & ~free) - 1), ...evenRanges(last & ~free, last)];
  }
  return [[first, last]];
}

function utf8Of(codePoint: number): number[] {
  return [...new TextEncoder().encode(String.fromCodePoint(codePoint))];
}

function pushRange(ranges: CodePointRange[], [first, last]: CodePointRange): void {
  const before = ranges.at(-1);
  if (before?.[1] === first - 1) ranges[ranges.length - 1] = [before[0], last];
  else ranges.push([first, last]);
}
