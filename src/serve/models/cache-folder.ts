/** Where fetched files of models are on this machine. @module */
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/**
 * Absolute path of the cache's folder: the variable `INPAGE_CACHE`, else where the platform has caches. An empty variable is
 * not set.
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const { INPAGE_CACHE, XDG_CACHE_HOME, LOCALAPPDATA } = environment;
  const paths = platform === 'win32' ? win32 : posix;
  if (INPAGE_CACHE) return paths.resolve(INPAGE_CACHE);
  if (platform === 'win32') return paths.join(LOCALAPPDATA || paths.join(home, 'AppData', 'Local'), 'inpage', 'cache');
  if (platform === 'darwin') return paths.join(home, 'Library', 'Caches', 'inpage');
  // Relative paths are to be ignored, says its specification.
  const base = XDG_CACHE_HOME && paths.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : paths.join(home, '.cache');
  return paths.join(base, 'inpage');
}
