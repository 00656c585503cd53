/** The Node that package.json promises is enough for everything that `npm ci` installs. */
import { describe, expect, it } from 'vitest';
import lock from '../../../package-lock.json' with { type: 'json' };
import packageJson from '../../../package.json' with { type: 'json' };

type Version = [major: number, minor: number];

const SUPPORTED = versionIn(packageJson.engines.node);

function versionIn(text: string): Version {
  const [major = 0, minor = 0] = (/[\d.]+/.exec(text)?.[0] ?? '').split('.').map(Number);
  return [major, minor];
}

/** Whether a range of `engines`, such as `^20.19.0 || >=22.12.0`, has the oldest supported version in it. */
function takes(range: string): boolean {
  return range.split('||').some((part) => {
    const [major, minor] = versionIn(part);
    if (part.trim() === '*') return true;
    if (/>=?/.test(part)) return major < SUPPORTED[0] || (major === SUPPORTED[0] && minor <= SUPPORTED[1]);
    return major === SUPPORTED[0] && minor <= SUPPORTED[1];
  });
}

describe('npm ci', () => {
  it('warns of no package that wants a newer Node (EBADENGINE)', () => {
    const packages = Object.entries(lock.packages as Record<string, { engines?: { node?: string } }>);
    expect(packages.length).toBeGreaterThan(100);
    const tooNew = packages.flatMap(([path, { engines }]) =>
      engines?.node === undefined || takes(engines.node) ? [] : [`${path}: ${engines.node}`],
    );
    expect(tooNew).toEqual([]);
  });

  it.each(['>=22', '^22.12.0 || >=24', '>=20.20', '18'])('would warn of %s', (range) => {
    expect(takes(range)).toBe(false);
  });
});
