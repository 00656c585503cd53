/** The rules of `rules.md`, and which of them a test run proved. @module */

/** A section of the rules. */
export interface Chapter {
  letter: string;
  title: string;
  ids: string[];
}

/** What is read of vitest's JSON report. */
export interface TestResults {
  /** Unix milliseconds. */
  startTime: number;
  testResults: { assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

/** Ids of rules that tests passed or failed. */
export interface RuleOutcomes {
  passed: ReadonlySet<string>;
  failed: ReadonlySet<string>;
}

/** @param text of `rules.md` */
export function readRules(text: string): Chapter[] {
  const chapters: Chapter[] = [];
  for (const section of text.split(/^## /m).slice(1)) {
    const ids = [...section.matchAll(/^- \*\*([A-Z]\d\d)\*\* /gm)].flatMap(([, id]) => id ?? []);
    const [first] = ids;
    if (first) chapters.push({ letter: first.charAt(0), title: section.split(/[:\n]/)[0]!, ids });
  }
  return chapters;
}

/** The rules that tests, or what they stand in, name at the beginning of their titles, as in `[C12] [C13] …`. Skipped tests prove nothing. */
export function readResults({ testResults }: TestResults): RuleOutcomes {
  const passed = new Set<string>();
  const failed = new Set<string>();
  for (const { ancestorTitles, title, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    for (const id of [...ancestorTitles, title].flatMap(namedIn)) {
      if (status === 'passed') passed.add(id);
      if (status === 'failed') failed.add(id);
    }
  }
  return { passed, failed };
}

function namedIn(title: string): string[] {
  const names = /^(?:\[[A-Z]\d\d\]\s*)+/.exec(title)?.[0] ?? '';
  return [...names.matchAll(/[A-Z]\d\d/g)].map(([id]) => id);
}

/** A test of the rule passed, and none failed. */
export function isProved(id: string, { passed, failed }: RuleOutcomes): boolean {
  return passed.has(id) && !failed.has(id);
}
