/** A path that the service does not have: what was probably meant. @module */
import { InferenceError } from '../../../core/errors/inference-error.js';
import { nearestName } from '../../../core/models/suggest-name.js';

/** Characters of an unknown path that are compared with the known ones. */
const MAX_PATH_LENGTH = 100;

/** Says what was probably meant: a base URL without the prefix and a misspelt path are the most common mistakes. */
export function unknownPath(path: string, prefix: string, known: readonly string[]): InferenceError {
  const fullPaths = known.filter((each) => !each.includes(':')).map((each) => `${prefix}${each}`);
  const lacksPrefix = fullPaths.includes(`${prefix}${path}`);
  // An intercepted base without its path: what the client writes behind it is then below the prefix.
  const hasTwo = path.startsWith(`${prefix}/`) && fullPaths.includes(path.slice(prefix.length));
  const hint = lacksPrefix
    ? `The base URL must end in \`${prefix}\`.`
    : hasTwo
      ? `Its base URL lacks \`${prefix}\`, or has it twice: end it, and the URL in \`intercept\`, in \`${prefix}\` once.`
      : similarPath(path, prefix, fullPaths);
  return new InferenceError('not_found', `This path does not exist. ${hint}`);
}

/** What is left of `/responses` and `/conversations` where nothing is stored. */
const STORED_PATHS = /^\/(responses|conversations)(\/|$)/;

function similarPath(path: string, prefix: string, fullPaths: readonly string[]): string {
  if (path.startsWith(prefix) && STORED_PATHS.test(path.slice(prefix.length)))
    return 'Nothing is stored between requests: see the option `storeResponses`.';
  const name = path.slice(0, MAX_PATH_LENGTH);
  const nearest = nearestName(name, fullPaths, Math.max(2, name.length / 3));
  return nearest === undefined ? `\`GET ${prefix}/openapi.json\` lists the paths.` : `Did you mean \`${nearest}\`?`;
}
