/** A browser that is driven from outside. What Firefox and WebKit both speak is WebDriver, each on a line of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The commands in use, named as in the WebDriver standard. */
export interface WebDriver {
  /** Name and version. */
  readonly browser: string;
  navigateTo(url: string): Promise<void>;
  /** Runs a function in the page; it must not use anything around it, and result and argument must be JSON. */
  execute<Argument, Result>(script: (argument: Argument) => Promise<Result>, argument: Argument): Promise<Result>;
  /** Handle of a new tab, which is not the current one yet. */
  newWindow(): Promise<string>;
  windowHandle(): Promise<string>;
  switchToWindow(handle: string): Promise<void>;
  closeWindow(): Promise<void>;
  quit(): Promise<void>;
}

/** Starts an installed browser. */
export type OpenBrowser = () => Promise<WebDriver>;

/** How long a script in a page may take, in milliseconds. */
export const SCRIPT_TIMEOUT = 120_000;

/** What {@link WebDriver.execute} sends: calls back with the result, or with the message of what was thrown. */
export function asyncScript(script: (argument: never) => Promise<unknown>): string {
  return `const [argument, done] = arguments;
    (${script.toString()})(argument).then((value) => done({ value }), (thrown) => done({ thrown: String(thrown) }));`;
}

/** What {@link asyncScript} called back with. @throws Error with the message of what was thrown in the page */
export function resultOf<Result>(answer: { value?: Result; thrown?: string }): Result {
  if (answer.thrown !== undefined) throw new Error(`In the page: ${answer.thrown}`);
  return answer.value as Result;
}

/** The first of these programs that is installed. */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A program in a process group of its own, so that ending it ends all that it started. */
export function startProgram(program: string, args: readonly string[], env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(program, args, {
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, ...env },
  });
  return {
    end(): void {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    },
  };
}

/** Tries until it works. @throws the last error, after `seconds` */
export async function retry<Result>(work: () => Promise<Result>, seconds = 30): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      if (attempt === seconds * 5) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
