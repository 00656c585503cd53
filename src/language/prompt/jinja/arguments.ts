/** Arguments of built-in filters and methods, by position or by name. @module */
import { type Given, TemplateError, type Value } from './values.js';

/** @param names of all parameters in order @throws TemplateError for arguments that nothing takes */
export function parametersOf(given: Given, ...names: readonly string[]): (Value | undefined)[] {
  if (given.positional.length > names.length) throw new TemplateError(`takes at most ${names.length} arguments`);
  for (const name of given.names.keys())
    if (!names.includes(name)) throw new TemplateError(`does not accept the argument '${name}'`);
  return names.map((name, index) =>
    index < given.positional.length ? given.positional[index] : given.names.get(name),
  );
}
