/** An interface's members, from their doc comments: a table, or a heading for each. @module */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from './markdown-table.js';

const root = join(import.meta.dirname, '../..');

interface Member extends DocComment {
  name: string;
  type: string;
}

/**
 * Members in their order: name, type, default and meaning.
 * @param file below the project's root
 * @throws Error when the file does not declare the interface
 */
export function interfaceTable(file: string, name: string): string {
  const members = readMembers(readFileSync(join(root, file), 'utf8'), name);
  const hasPresets = members.some(({ preset }) => preset !== '');
  return markdownTable(
    ['name', 'type', ...(hasPresets ? ['default'] : []), 'meaning'],
    members.map(({ name: member, type, preset, meaning }) => [
      `\`${member}\``,
      `\`${type}\``,
      ...(hasPresets ? [preset] : []),
      meaning,
    ]),
  );
}

/**
 * A heading for each member, so that links and the search lead to it.
 * @param file below the project's root
 * @throws Error when the file does not declare the interface
 */
export function memberSections(file: string, name: string): string {
  return readMembers(readFileSync(join(root, file), 'utf8'), name)
    .map(({ name: member, type, preset, meaning, tags }) => {
      const typed = `Type: \`${type}\`.${preset && ` Default: ${preset}.`}`;
      return [`### \`${member}\``, typed, meaning, exampleBlock(tags)].filter(Boolean).join('\n\n');
    })
    .join('\n\n');
}

/** Names and first sentences of an object's methods and fields: what one can do with it. */
export function methodTable(file: string, name: string): string {
  const members = readMembers(readFileSync(join(root, file), 'utf8'), name);
  return markdownTable(
    ['member', 'what it does'],
    members.map(({ name: member, type, meaning }) => [`\`${member}${type.startsWith('(') ? type : ''}\``, meaning]),
  );
}

function readMembers(source: string, name: string): Member[] {
  const start = new RegExp(`^(?:export )?interface ${name}\\b[^{]*\\{$`, 'm').exec(source);
  if (!start) throw new Error(`There is no interface ${name}.`);
  const body = source.slice(start.index + start[0].length);
  const end = body.indexOf('\n}');
  const pattern = /\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2}(?:readonly )?(\w+)\??(:|(?=\())\s*((?:[^;{]|\{[^}]*\})*)/g;
  return [...body.slice(0, end).matchAll(pattern)].map(([, comment = '', member = '', , type = '']) => ({
    name: member,
    // The type of a group of methods says less than its comment.
    type: type.includes('/**') ? 'object' : type.replaceAll(/\s+/g, ' ').trim(),
    ...readComment(comment),
  }));
}

/** What a doc comment says. */
export interface DocComment {
  /** Its text up to the first tag, in one line. */
  meaning: string;
  /** Text of `@default`. */
  preset: string;
  /** Its text up to the first tag, with its lists. */
  text: string;
  /** The other tags, with their names, in their order. */
  tags: string[];
}

/** Reads what stands between the marks of a doc comment. */
export function readComment(comment: string): DocComment {
  const plain = `\n${comment}`
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, ''))
    .join('\n')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`');
  const [about = '', ...tags] = plain.split(/(?:^|\s)(?=@(?:default|param|throws|example|returns|module)\b)/);
  const preset = tags.find((tag) => tag.startsWith('@default'))?.slice('@default'.length) ?? '';
  const lists = about.split(/\n(?=- )/).map((part) => oneLine(part));
  return {
    meaning: oneLine(about),
    preset: literal(oneLine(preset)),
    text: lists.join('\n').replace('\n- ', '\n\n- '),
    tags,
  };
}

/** Code of the tag `@example`; empty: there is none. */
export function exampleBlock(tags: readonly string[]): string {
  const example = tags
    .find((tag) => tag.startsWith('@example'))
    ?.slice('@example'.length)
    .trim();
  return example ? `\`\`\`ts fragment\n${example}\n\`\`\`` : '';
}

/** Values are code, sentences are not. */
function literal(text: string): string {
  return /^('[^']*'|\d+|\[[^\]]*\]|true|false)$/.test(text) ? `\`${text}\`` : text;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
