/**
 * The public API as a reviewed file, `.ci/public-api.md`: every name that an entry of the package exports, as it is declared.
 * `npm run api` writes it; with `--check` it fails when the file is not up to date, or when a public type names one that only
 * other files of this project can import. What a file keeps to itself, and a public type of it names, stands at the end of the report.
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ts } from '@ts-morph/common';
import { declared, isInternal, isPublic } from './declared.js';

const root = join(import.meta.dirname, '..');
const REPORT = '.ci/public-api.md';

/** Entries of `package.json` whose types come from `src/`, by their names. Those of React and Vue are written by hand. */
function entriesOfPackage(): [entry: string, file: string][] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { exports: object };
  const files = new Map<string, string>();
  for (const [entry, content] of Object.entries(exports)) {
    const [, file] = /"types":"\.\/dist\/types\/([\w/-]+)\.d\.ts"/.exec(JSON.stringify(content)) ?? [];
    const name = entry.replace('.', 'inpage');
    if (file !== undefined && ts.sys.fileExists(join(root, `src/${file}.ts`))) files.set(name, `src/${file}.ts`);
  }
  return [...files];
}

const entries = entriesOfPackage();
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noLib: true,
  types: [],
};
const host = ts.createCompilerHost(options);
// Names and where they lead are asked for, never a type: the declarations of packages are not needed.
host.resolveModuleNameLiterals = (names, file) =>
  names.map(({ text: name }) =>
    name.startsWith('.') ? ts.resolveModuleName(name, file, options, host) : { resolvedModule: undefined },
  );
const program = ts.createProgram(
  entries.map(([, file]) => join(root, file)),
  options,
  host,
);
const checker = program.getTypeChecker();
const isOurs = (node: ts.Node): boolean => node.getSourceFile().fileName.startsWith(join(root, 'src'));
const resolved = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** The types of this project that a declaration names where users see it. */
function* namedIn(node: ts.Declaration): Generator<ts.Symbol> {
  const names: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isBlock(each) || (ts.isClassElement(each) && !isPublic(each))) return;
    if ((ts.isTypeElement(each) || ts.isClassElement(each)) && isInternal(each)) return;
    if (ts.isTypeReferenceNode(each)) names.push(each.typeName);
    if (ts.isExpressionWithTypeArguments(each)) names.push(each.expression);
    if (ts.isVariableDeclaration(each)) {
      if (each.type) visit(each.type);
    } else ts.forEachChild(each, visit);
  };
  visit(node);
  for (const name of names) {
    const symbol = checker.getSymbolAtLocation(name);
    const [declaration] = symbol ? (resolved(symbol).declarations ?? []) : [];
    // A class may extend a value, whose type says what it is.
    const isType = declaration && !ts.isTypeParameterDeclaration(declaration) && !ts.isVariableDeclaration(declaration);
    if (isType && isOurs(declaration)) yield resolved(symbol!);
  }
}

const isExported = new Set<ts.Symbol>();
const sections = entries.map(([entry, file]) => {
  const source = program.getSourceFile(join(root, file))!;
  const module = checker.getSymbolAtLocation(source);
  const names = module ? checker.getExportsOfModule(module) : [];
  const all = names.map((name) => ({ name: name.name, symbol: resolved(name) }));
  for (const { symbol } of all) isExported.add(symbol);
  return { entry, all: all.toSorted((one, other) => (one.name < other.name ? -1 : 1)) };
});

/** Named by what is exported, and by what that leads to. */
const hidden = new Map<ts.Symbol, string>();
const queue = [...isExported];
for (let symbol = queue.pop(); symbol; symbol = queue.pop()) {
  for (const declaration of symbol.declarations ?? []) {
    if (!isOurs(declaration)) continue;
    for (const named of namedIn(declaration)) {
      if (isExported.has(named) || hidden.has(named)) continue;
      hidden.set(named, symbol.name);
      queue.push(named);
    }
  }
}

const placed = new Map<ts.Symbol, string>();
const lines = ['# The public API', '', 'Made by `npm run api`; a change of it is a change for users.', ''];
for (const { entry, all } of sections) {
  lines.push(`## ${entry}`, '', '```ts');
  for (const { name, symbol } of all) {
    const before = placed.get(symbol);
    const own = (symbol.declarations ?? []).filter((each) => isOurs(each));
    if (before !== undefined || own.length === 0) {
      lines.push(`export { ${name} }; // ${before === undefined ? 'of a package' : `see ${before}`}`);
      continue;
    }
    placed.set(symbol, entry);
    // Of overloads, what is behind them is no one's to call.
    const seen = own.length > 1 ? own.filter((each) => !ts.isFunctionDeclaration(each) || !each.body) : own;
    const alias = symbol.name === name ? '' : ` // exported as ${name}`;
    for (const declaration of seen) lines.push(`export ${declared(declaration)}${alias}`);
  }
  lines.push('```', '');
}
const isKept = (symbol: ts.Symbol): boolean =>
  (symbol.declarations ?? []).every((each) => !(ts.getCombinedModifierFlags(each) & ts.ModifierFlags.Export));
const kept = [...hidden.keys()].filter(isKept).toSorted((one, other) => (one.name < other.name ? -1 : 1));
lines.push('## Named by these, and exported by no file', '', '```ts');
for (const { declarations = [] } of kept) for (const declaration of declarations) lines.push(declared(declaration));
lines.push('```', '');
const report = lines.join('\n');

const isCheck = process.argv.includes('--check');
const missing = [...hidden].filter(([symbol]) => !isKept(symbol));
for (const [symbol, user] of missing) {
  const file = relative(root, symbol.declarations![0]!.getSourceFile().fileName);
  console.error(`${file}: \`${symbol.name}\` is named by the public \`${user}\` and exported by no entry`);
}
if (isCheck && readFileSync(join(root, REPORT), 'utf8') !== report) {
  console.error(`${REPORT} is not up to date: \`npm run api\` writes it. Review its diff, it is what users get`);
  process.exitCode = 1;
}
if (!isCheck) writeFileSync(join(root, REPORT), report);
if (missing.length > 0) process.exitCode = 1;
console.log(`public API: ${isExported.size} names of ${entries.length} entries`);
