/// <reference types="vite/client" />
/** The apps that `npm create inpage` can begin: the folders of `demo/templates/`, as text within the built file. @module */

/** An app to begin with. */
export interface Template {
  /** What it is made with, in a few words. */
  summary: string;
  /** Commands that follow on `npm install`, without the package manager's name where it stands for `npm run`. */
  steps: readonly string[];
}

/** In the order in which they are offered; the first is the default. */
export const TEMPLATES: Readonly<Record<string, Template>> = {
  vanilla: { summary: 'Vite and TypeScript', steps: ['npm run dev'] },
  react: { summary: 'React with Vite and TypeScript', steps: ['npm run dev'] },
  next: { summary: 'Next.js with TypeScript', steps: ['npm run dev'] },
  playwright: {
    summary: "tests of an app that asks its server's /v1, answered by a script",
    steps: ['npx playwright install chromium', 'npm test'],
  },
};

const ROOT = '/demo/templates/';
const SOURCES = import.meta.glob<string>(
  ['/demo/templates/*/**', '!/demo/templates/*/{node_modules,dist,.next,public,test-results}/**'],
  { query: '?raw', import: 'default', eager: true, exhaustive: true },
);

/** The files of a template: texts by path. */
export function readTemplate(name: string): ReadonlyMap<string, string> {
  const folder = `${ROOT}${name}/`;
  return new Map(
    Object.entries(SOURCES)
      .filter(([path]) => path.startsWith(folder))
      .map(([path, text]) => [path.slice(folder.length), text]),
  );
}
