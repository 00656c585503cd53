/** What a command of the command line is, and its help. @module */

/** A flag of a command. */
export interface CommandOption {
  type: 'string' | 'boolean';
  /** It may be given several times. Else the last one counts. */
  multiple?: boolean;
  /** One letter that stands for its name. */
  short?: string;
  /** What its value is called in the help. */
  value?: string;
  help: string;
}

/** The flags of one call by their names. */
export type CommandValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** A command, e.g. `inpage init`. */
export interface Command {
  /** What it does, in a line. */
  summary: string;
  /** How it is called, without the program's name. */
  usage: string[];
  options: Record<string, CommandOption>;
  /** Whole lines, to copy. */
  examples: string[];
  /**
   * Rejects with {@link UsageError} when it is called wrongly, else with an Error whose message says what to do.
   * @param words what comes after the command's name and is not a flag
   */
  run(words: readonly string[], values: CommandValues): Promise<void> | void;
}

/** Wrong arguments: the process ends with 2 instead of 1. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Ends every help. */
export const EXIT_CODES = `Exit codes
  0  success
  1  failure
  2  invalid arguments
`;

const COMMON: Record<string, CommandOption> = {
  help: { type: 'boolean', short: 'h', help: 'This text.' },
  version: { type: 'boolean', short: 'v', help: 'The version of the package.' },
};

/** The flags of a command and those that all have. */
export function allOptions({ options }: Pick<Command, 'options'>): Record<string, CommandOption> {
  return { ...options, ...COMMON };
}

/**
 * What `--help` prints.
 * @param program the words before the forms of `usage`
 */
export function formatHelp(program: string, command: Command): string {
  const flags = Object.entries(allOptions(command)).map(
    ([name, option]) =>
      [option.short === undefined ? formatFlag(name, option) : `-${option.short}, --${name}`, option.help] as const,
  );
  return `${command.summary}

Usage
${lines(command.usage.map((form) => `${program} ${form}`))}

Options
${table(flags)}

Examples
${lines(command.examples)}

${EXIT_CODES}`;
}

/** A flag as it is written, with its value's name. */
export function formatFlag(name: string, { value }: CommandOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** Two columns, the first as wide as its longest entry. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length)) + 2;
  return lines(rows.map(([first, second]) => first.padEnd(width) + second));
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `  ${text}`).join('\n');
}
