/** A stranger's machine, where packages are installed and apps are built. @module */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * A stranger's shell has no NODE_ENV; what runs these scripts sets one, with which Next.js does not build.
 * @param env what is set besides
 */
export function strangerEnvironment(env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1', ...env };
}

/** @throws Error with what it wrote, when it fails */
export function runAsStranger(command: string, words: readonly string[], cwd: string, env?: NodeJS.ProcessEnv): void {
  const { status, error, stdout, stderr } = spawnSync(command, words, {
    cwd,
    env: strangerEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
}

/** Installs the packages of a folder, and these. */
export function npmInstall(folder: string, packages: readonly string[], env?: NodeJS.ProcessEnv): void {
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  runAsStranger('npm', ['install', ...flags, ...packages], folder, env);
}

/**
 * An environment whose `node` is at least of this major version: the one that runs this, or else one from npm.
 * @param workshop a folder, in which it is installed once
 */
export function withNode(major: number, workshop: string): NodeJS.ProcessEnv {
  if (Number.parseInt(process.versions.node, 10) >= major) return {};
  const folder = join(workshop, `node-${major}`);
  mkdirSync(folder, { recursive: true });
  npmInstall(folder, [`node-${process.platform}-${process.arch}@${major}`]);
  return { PATH: [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter) };
}
