/** Small parts that both elements are made of. @module */

/** The class to extend. In Node there is none, and a module that is imported on a server must not fail. */
export const ElementBase: typeof HTMLElement =
  (globalThis as { HTMLElement?: typeof HTMLElement }).HTMLElement ?? (Object as unknown as typeof HTMLElement);

/** What {@link make} sets: attributes, but `text` is the element's text. `undefined` and `false` leave an attribute out. */
type Properties = Record<string, string | boolean | undefined>;

/** Makes an element. No text is ever parsed as HTML. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Node[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  assign(element, properties);
  element.append(...children);
  return element;
}

/** Changes what differs, so that a screen reader hears only what is new. */
export function assign(element: HTMLElement, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (name === 'text') {
      if (element.textContent !== value) element.textContent = String(value ?? '');
    } else if (value === undefined || value === false) element.removeAttribute(name);
    else {
      const text = value === true ? '' : value;
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
}

/** Properties that a framework or an app set before the element was defined come in through their setters. */
export function upgrade(element: HTMLElement, names: readonly string[]): void {
  const own = element as unknown as Record<string, unknown>;
  for (const name of names) {
    if (!Object.hasOwn(element, name)) continue;
    const value = own[name];
    delete own[name];
    own[name] = value;
  }
}

/** Makes a change after which the focus is where it was or, where that has gone, on what comes next. */
export function keepFocus(root: ShadowRoot, change: () => void): void {
  const before = root.activeElement;
  const all = [...root.querySelectorAll<HTMLElement>('button, input')];
  change();
  if (!(before instanceof HTMLElement) || root.activeElement !== null) return;
  const place = all.indexOf(before);
  const candidates = [before, ...all.slice(place + 1), ...all.slice(0, Math.max(0, place)).toReversed()];
  candidates.find((each) => each.isConnected && !each.matches(':disabled, [hidden], [hidden] *'))?.focus();
}

/** The language that texts, numbers and sizes around an element are in. */
export function languageOf(element: Element): string | undefined {
  for (let node: Node | null = element; node;) {
    const found: Element | null | undefined = node instanceof Element ? node.closest('[lang]') : undefined;
    const language = found?.getAttribute('lang');
    if (language) return isLanguage(language) ? language : undefined;
    const root: Node = node.getRootNode();
    node = root instanceof ShadowRoot ? root.host : null;
  }
  return undefined;
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** `12.3 MB`, in units of 1000. */
export function formatBytes(bytes: number, language: string | undefined): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** power;
  const options = { style: 'unit', unit: UNITS[power]!, unitDisplay: power === 0 ? 'long' : 'short' } as const;
  return new Intl.NumberFormat(language, { ...options, maximumFractionDigits: value < 10 && power > 0 ? 1 : 0 }).format(
    value,
  );
}

/** `9 sec`, `4 min`. */
export function formatDuration(seconds: number, language: string | undefined): string {
  const [value, unit] = seconds < 90 ? [Math.ceil(seconds), 'second'] : [Math.round(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
}

const SIZE_UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

/** Bytes of a number, or of a text such as `50MB`; undefined for anything else. */
export function parseBytes(size: unknown): number | undefined {
  if (typeof size === 'number') return size >= 0 ? size : undefined;
  const [, value, unit = 'b'] = /^\s*(\d+(?:\.\d+)?)\s*([kmg]?b)?\s*$/i.exec(String(size)) ?? [];
  return value === undefined ? undefined : Number(value) * SIZE_UNITS[unit.toLowerCase()]!;
}

/** Fills the places of a text: `{model}`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}
