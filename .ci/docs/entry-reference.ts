/** What an entry of the package exports, from the source: signatures, meanings, examples and members. @module */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ts } from '@ts-morph/common';
import packageJson from '../../package.json' with { type: 'json' };
import { declared } from '../declared.js';
import { type DocComment, exampleBlock, interfaceTable, readComment } from './interface-table.js';
import { headingId } from './render-page.js';

const root = join(import.meta.dirname, '../..');
const DOCUMENTS = 'demo/docs';

/** Longer declarations of types are shown on several lines, and by their members where these have comments. */
const ONE_LINE = 100;

interface Exported {
  /** As users import it. */
  name: string;
  /** Below the project's root. */
  file: string;
  /** Several: overloads. */
  declarations: ts.Declaration[];
}

/**
 * A heading for each name: first what can be called, then types by their names.
 * @param entry as it is imported, such as `inpage/serve`
 * @throws Error when the package has no such entry with types
 */
export function entryReference(entry: string): string {
  const all = exportsOf(entryFile(entry)).map((each) => ({ each, isType: isType(each.declarations[0]!) }));
  const sorted = all.toSorted(
    (one, other) => Number(one.isType) - Number(other.isType) || (one.each.name < other.each.name ? -1 : 1),
  );
  return sorted.map(({ each }) => section(each)).join('\n\n');
}

function entryFile(entry: string): string {
  const { exports } = packageJson as unknown as { exports: Record<string, unknown> };
  const [, file] =
    /"types":"\.\/dist\/types\/([\w/-]+)\.d\.ts"/.exec(JSON.stringify(exports[entry.replace('inpage', '.')] ?? '')) ??
    [];
  if (file === undefined) throw new Error(`The package has no entry ${entry} with types.`);
  return `src/${file}.ts`;
}

const parsed = new Map<string, ts.SourceFile>();

function parse(file: string): ts.SourceFile {
  const source =
    parsed.get(file) ?? ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.ESNext, true);
  parsed.set(file, source);
  return source;
}

/** What a file exports: by itself, and from others by name. */
function exportsOf(file: string): Exported[] {
  const source = parse(file);
  const own = [...declarationsOf(source)].map(([name, declarations]) => ({ name, file, declarations }));
  const others = source.statements.filter(ts.isExportDeclaration).flatMap(({ moduleSpecifier, exportClause }) => {
    if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) || !exportClause || !ts.isNamedExports(exportClause))
      return [];
    const from = posix.join(posix.dirname(file), moduleSpecifier.text.replace(/\.js$/, '.ts'));
    const found = declarationsOf(parse(from));
    return exportClause.elements.map(({ name, propertyName }) => {
      const declarations = found.get((propertyName ?? name).text);
      if (!declarations) throw new Error(`${from} does not declare ${name.text}, which ${file} exports.`);
      return { name: name.text, file: from, declarations };
    });
  });
  return [...own, ...others];
}

/** Exported declarations of a file by their names. Of overloads, what is behind them is no one's to call. */
function declarationsOf({ statements }: ts.SourceFile): Map<string, ts.Declaration[]> {
  const all = new Map<string, ts.Declaration[]>();
  for (const statement of statements) {
    if (!(ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : [])?.some(isExport)) continue;
    const nodes = ts.isVariableStatement(statement)
      ? [...statement.declarationList.declarations]
      : [statement as unknown as ts.DeclarationStatement];
    for (const node of nodes)
      if (node.name && ts.isIdentifier(node.name)) all.set(node.name.text, [...(all.get(node.name.text) ?? []), node]);
  }
  for (const [name, each] of all)
    if (each.length > 1)
      all.set(
        name,
        each.filter((node) => !ts.isFunctionDeclaration(node) || !node.body),
      );
  return all;
}

function isExport({ kind }: ts.Modifier): boolean {
  return kind === ts.SyntaxKind.ExportKeyword;
}

function isType(node: ts.Declaration): boolean {
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
}

function section({ name, file, declarations }: Exported): string {
  const [first] = declarations;
  const { text, tags } = commentOf(first!);
  const where = documentedAt(file, nameOf(first!));
  const members = where ? `Its members: [${where.title}](${where.href}).` : shape(file, declarations);
  return [`### \`${name}\``, text, members, notes(tags), exampleBlock(tags)].filter(Boolean).join('\n\n');
}

/** Parameters, results and errors as the tags of a comment name them. */
function notes(tags: readonly string[]): string {
  const lines = tags
    .map((tag) => tag.replaceAll(/\s+/g, ' '))
    .map((tag) => {
      const [, kind = '', rest = ''] = /^@(\w+) ?(.*)$/.exec(tag) ?? [];
      if (kind === 'param') return `- ${rest.replace(/^\S+/, '`$&`:')}`;
      if (kind === 'returns') return `- Returns: ${rest}`;
      return kind === 'throws' ? `- Throws: ${rest}` : '';
    });
  return lines.filter(Boolean).join('\n');
}

/** Members as a table where they have comments, else the declaration. */
function shape(file: string, declarations: readonly ts.Declaration[]): string {
  const [first] = declarations;
  if (ts.isInterfaceDeclaration(first!)) return interfaceShape(file, first);
  const values = valuesOf(first!);
  if (values) return code(`type ${nameOf(first!)} = ${values};`);
  // A constant without a type has nothing to show but its value.
  if (ts.isVariableDeclaration(first!) && !first.type) return '';
  return code(declarations.map((each) => layOut(declared(each))).join('\n'));
}

/** With the members of a base that only this file has. */
function interfaceShape(file: string, node: ts.InterfaceDeclaration): string {
  const inherited = node.heritageClauses?.flatMap(({ types }) => types.map((type) => type.getText())) ?? [];
  const own = node.getSourceFile().statements.filter(ts.isInterfaceDeclaration);
  const hidden = own.filter(
    (base) => !ts.getModifiers(base)?.some(isExport) && inherited.join().includes(nameOf(base)),
  );
  const bases = [node, ...hidden].flatMap(({ heritageClauses = [] }) =>
    heritageClauses.flatMap(({ types }) => [...types]),
  );
  const shown = bases
    .map((type) => type.getText().replaceAll(/\s+/g, ' '))
    .filter((type) => !hidden.some((base) => type.includes(nameOf(base))));
  const tables = [node, ...hidden].map((each) => interfaceTable(file, nameOf(each)));
  return [shown.length > 0 && `Also has the members of \`${shown.join(', ')}\`.`, ...tables]
    .filter(Boolean)
    .join('\n\n');
}

/** Of a type that is one of a list's values: these. */
function valuesOf(node: ts.Declaration): string | undefined {
  const [, list] = /= \(typeof (\w+)\)\[number\];?$/.exec(node.getText()) ?? [];
  if (list === undefined) return undefined;
  const [, values] = new RegExp(`const ${list} = \\[([^\\]]*)\\]`).exec(node.getSourceFile().text) ?? [];
  const all = values?.split(',').map((value) => value.trim());
  return all?.every((value) => /^('[^']*'|\d+|)$/.test(value)) ? all.filter(Boolean).join(' | ') : undefined;
}

/** The printer puts every member on a line of its own. */
function layOut(declaration: string): string {
  const line = declaration.replaceAll(/\s+/g, ' ');
  return line.length <= ONE_LINE
    ? line
    : declaration.replaceAll(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2));
}

function code(text: string): string {
  return `\`\`\`ts fragment\n${text}\n\`\`\``;
}

function nameOf(node: ts.Declaration): string {
  return (node as ts.NamedDeclaration).name!.getText();
}

/** What stands above a declaration, or above the statement that it is in. */
function commentOf(node: ts.Declaration): DocComment {
  const owner = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const comments = ts.getJSDocCommentsAndTags(owner).filter(ts.isJSDoc);
  return readComment(comments.at(-1)?.getText().slice('/**'.length, -'*/'.length) ?? '');
}

interface Place {
  title: string;
  href: string;
}

/** Headings of other pages below which an interface's members are listed, by the file and the name. */
const places = new Map<string, Place>();

function documentedAt(file: string, name: string): Place | undefined {
  if (places.size === 0) findPlaces();
  return places.get(`${file} ${name}`);
}

function findPlaces(): void {
  for (const page of readdirSync(join(root, DOCUMENTS)).filter((each) => each.endsWith('.md'))) {
    let title = '';
    const text = readFileSync(join(root, DOCUMENTS, page), 'utf8');
    const marks = /^#+ (.+)$|<!-- made: (?:members|sections|methods) (\S+ \w+) -->/gm;
    for (const [, heading, subject] of text.matchAll(marks)) {
      if (heading !== undefined) title = heading;
      if (subject !== undefined) places.set(subject, { title, href: `${page}#${headingId(title)}` });
    }
  }
}
