/** What Jinja's own implementation does and the library does not: templates are changed until both write the same. @module */

/** A node of a template's syntax tree. */
interface Node {
  type: string;
  [field: string]: unknown;
}

/** The library knows these names for less, or not at all. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  strftime_now: 'inpage_strftime_now',
  min: 'inpage_min',
  max: 'inpage_max',
};

/** What mended templates call. */
export const TEMPLATE_FUNCTIONS = {
  inpage_strftime_now: (format: string): string => formatTime(format, new Date()),
  inpage_min: (list: readonly { value: number }[]): number => Math.min(...list.map(({ value }) => value)),
  inpage_max: (list: readonly { value: number }[]): number => Math.max(...list.map(({ value }) => value)),
};

/** The source with `is sameas x`, which the library cannot parse, as a comparison. */
export function mendSource(source: string): string {
  return source.replaceAll(/\bis\s+(not\s+)?sameas\b/g, (_, not?: string) => (not ? '!=' : '=='));
}

/** Mends a syntax tree in place. */
export function mendTree(tree: object): void {
  mend(tree as Node);
}

function mend(node: Node): Node {
  for (const [field, child] of Object.entries(node)) node[field] = mendChild(child);
  if (node.type === 'For') node['body'] = withoutContinue(node['body'] as Node[], []);
  if (node.type === 'Identifier' && node['value'] === 'strftime_now') node['value'] = OWN_NAMES['strftime_now'];
  return node.type === 'FilterExpression' ? mendFilter(node) : node;
}

function mendChild(child: unknown): unknown {
  if (Array.isArray(child)) return child.map(mendChild);
  if (child instanceof Map) return new Map([...child].map(([key, value]) => [mendChild(key), mendChild(value)]));
  return isNode(child) ? mend(child) : child;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function mendFilter(node: Node): Node {
  const filter = node['filter'] as Node;
  const name = filter.type === 'Identifier' ? filter['value'] : undefined;
  if (name === 'min' || name === 'max') {
    return { type: 'CallExpression', callee: { type: 'Identifier', value: OWN_NAMES[name] }, args: [node['operand']] };
  }
  // Escaped, the marks in a conversation would not be found again.
  if (filter.type === 'CallExpression' && (filter['callee'] as Node)['value'] === 'tojson') {
    filter['args'] = (filter['args'] as Node[]).filter(({ key }) => !isNode(key) || key['value'] !== 'ensure_ascii');
  }
  return node;
}

/**
 * The library forgets what a pass wrote before `continue`. So what follows a choice with one goes into its branches.
 * @param after what follows these statements in the pass
 */
function withoutContinue(body: readonly Node[], after: readonly Node[]): Node[] {
  const place = body.findIndex((node) => node.type === 'Continue' || (node.type === 'If' && continues(node)));
  const found = body[place];
  if (!found) return [...body, ...after];
  const before = body.slice(0, place);
  if (found.type === 'Continue') return before;
  const rest = withoutContinue(body.slice(place + 1), after);
  const [yes, no] = [found['body'] as Node[], found['alternate'] as Node[]];
  return [...before, { ...found, body: withoutContinue(yes, rest), alternate: withoutContinue(no, rest) }];
}

function continues(node: Node): boolean {
  const branches = [...(node['body'] as Node[]), ...(node['alternate'] as Node[])];
  return branches.some((each) => each.type === 'Continue' || (each.type === 'If' && continues(each)));
}

/** Python's `strftime` in English, as far as templates use it. A dash drops the leading zero. */
function formatTime(format: string, time: Date): string {
  const name = (options: Intl.DateTimeFormatOptions): string => time.toLocaleDateString('en-US', options);
  const [hours, year] = [time.getHours(), time.getFullYear()];
  const dayOfYear = (Date.UTC(year, time.getMonth(), time.getDate()) - Date.UTC(year, 0, 0)) / 86_400_000;
  const numbers: Readonly<Record<string, readonly [value: number, digits: number]>> = {
    Y: [year, 4],
    y: [year % 100, 2],
    m: [time.getMonth() + 1, 2],
    d: [time.getDate(), 2],
    j: [dayOfYear, 3],
    H: [hours, 2],
    I: [hours % 12 || 12, 2],
    M: [time.getMinutes(), 2],
    S: [time.getSeconds(), 2],
  };
  const words: Readonly<Record<string, string>> = {
    A: name({ weekday: 'long' }),
    a: name({ weekday: 'short' }),
    B: name({ month: 'long' }),
    b: name({ month: 'short' }),
    p: hours < 12 ? 'AM' : 'PM',
    '%': '%',
  };
  return format.replaceAll(/%(-?)([A-Za-z%])/g, (code, dash: string, letter: string) => {
    const [value, digits] = numbers[letter] ?? [];
    if (value === undefined) return words[letter] ?? code;
    return dash === '' ? String(value).padStart(digits ?? 0, '0') : String(value);
  });
}
