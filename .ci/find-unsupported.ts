/**
 * Uses of built-ins that the oldest supported browsers lack: TypeScript finds the built-in that an expression names, MDN's
 * data say since when each browser has it.
 * @module
 */
import { join, relative } from 'node:path';
import { getLibFiles, ts } from '@ts-morph/common';
import { ALLOWED, type BuiltIn, lacking } from './browser-support.js';

export interface Unsupported {
  /** Relative to the folder. */
  file: string;
  /** From 1. */
  line: number;
  /** E.g. `URL.canParse`. */
  name: string;
  /** Which browsers have it. */
  has: string;
}

const LIBRARIES = '/libraries';

/** @param folder with `tsconfig.json` @param isChecked takes a path relative to it */
export function findUnsupported(folder: string, isChecked: (file: string) => boolean): Unsupported[] {
  const program = programOf(folder, isChecked);
  const checker = program.getTypeChecker();
  const found: Unsupported[] = [];
  for (const source of program.getSourceFiles()) {
    const file = relative(folder, source.fileName);
    if (!isChecked(file)) continue;
    const report = (node: ts.Node, builtIn: BuiltIn): void => {
      const name = builtIn.join('.');
      const has = lacking(builtIn);
      if (has === undefined || ALLOWED.some(({ names }) => names.test(name))) return;
      found.push({ file, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1, name, has });
    };
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
      const isAsync =
        (ts.isForOfStatement(node) && node.awaitModifier) || (ts.isYieldExpression(node) && node.asteriskToken);
      if (isAsync && node.expression) {
        for (const name of classesOf(checker.getTypeAtLocation(node.expression)))
          report(node, [name, '@@asyncIterator']);
      }
      if (ts.isIdentifier(node) && !isProbe(node)) {
        const builtIn = builtInOf(checker, node);
        if (builtIn) report(node, builtIn);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

/** Of a union each. */
function classesOf(type: ts.Type): string[] {
  return (type.isUnion() ? type.types : [type]).flatMap((each) => each.getSymbol()?.name ?? []);
}

function builtInOf(checker: ts.TypeChecker, node: ts.Identifier): BuiltIn | undefined {
  const declarations = checker.getSymbolAtLocation(node)?.declarations ?? [];
  if (!declarations.every((each) => each.getSourceFile().fileName.startsWith(LIBRARIES))) return undefined;
  return declarations.map(nameOf).find((name) => name !== undefined);
}

/** What is declared, by the name that MDN has for it. */
function nameOf(declaration: ts.Declaration): BuiltIn | undefined {
  const { parent } = declaration;
  const name = ts.getNameOfDeclaration(declaration)?.getText();
  if (name === undefined) return undefined;
  // The static members of `Promise` are in `PromiseConstructor`, and what iterators share in `IteratorObject`.
  if (ts.isInterfaceDeclaration(parent)) return [parent.name.text.replace(/(?<=\w)(?:Constructor|Object)$/, ''), name];
  // `declare var AbortSignal: { any(…): … }`
  if (ts.isTypeLiteralNode(parent) && ts.isVariableDeclaration(parent.parent))
    return [parent.parent.name.getText(), name];
  return ts.isVariableDeclaration(declaration) || ts.isFunctionDeclaration(declaration) ? [name] : undefined;
}

/** `typeof x`, `x?.y` and `x?.()` look whether it is there. */
function isProbe(node: ts.Identifier): boolean {
  const access = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : node;
  const { parent } = access;
  if (ts.isTypeOfExpression(parent)) return true;
  const isUse = ts.isCallExpression(parent) || ts.isPropertyAccessExpression(parent);
  return isUse && parent.questionDotToken !== undefined && parent.expression === access;
}

function programOf(folder: string, isChecked: (file: string) => boolean): ts.Program {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const names = fileNames.filter((name) => isChecked(relative(folder, name)) || name.endsWith('.d.ts'));
  const host = ts.createCompilerHost(options);
  // The package has the declarations of built-ins as texts.
  const libraries = new Map(getLibFiles().map(({ fileName, text }) => [`${LIBRARIES}/${fileName}`, text]));
  const files = ts.createCompilerHost(options);
  host.getDefaultLibLocation = () => LIBRARIES;
  host.getSourceFile = (name, target, ...more) => {
    const library = libraries.get(name);
    return library === undefined
      ? files.getSourceFile(name, target, ...more)
      : ts.createSourceFile(name, library, target);
  };
  host.fileExists = (name) => libraries.has(name) || files.fileExists(name);
  host.readFile = (name) => libraries.get(name) ?? files.readFile(name);
  return ts.createProgram(names, options, host);
}
