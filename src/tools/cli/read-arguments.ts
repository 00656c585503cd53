/** Reads the arguments of a command. @module */
import { parseArgs } from 'node:util';
import { suggestName } from '../../core/models/suggest-name.js';
import { allOptions, type Command, type CommandValues, formatFlag, UsageError } from './command.js';

/** What a command was called with. */
export interface CommandArguments {
  /** What is not a flag, in order. */
  words: string[];
  values: CommandValues;
}

/**
 * @param call the words before the arguments, e.g. `inpage init`
 * @throws UsageError that names the flag and what is wrong with it
 */
export function readArguments(call: string, command: Command, args: string[]): CommandArguments {
  const options = allOptions(command);
  const { tokens, positionals, values } = parseArgs({
    args,
    options,
    allowPositionals: true,
    // Node's own messages name neither the command nor what it knows.
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option) {
      const known = Object.keys(options).map((each) => `--${each}`);
      throw new UsageError(
        `\`${token.rawName}\` is not an option of \`${call}\`. ${suggestName(token.rawName, known)}`,
      );
    }
    const isFlag = option.type === 'boolean';
    const isMissing = token.value === undefined || (!token.inlineValue && token.value.startsWith('-'));
    if (isFlag && token.value !== undefined) throw new UsageError(`\`${token.rawName}\` does not accept a value.`);
    if (!isFlag && isMissing)
      throw new UsageError(`\`${token.rawName}\` needs a value: \`${formatFlag(token.name, option)}\`.`);
  }
  return { words: positionals, values };
}
