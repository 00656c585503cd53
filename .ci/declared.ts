/** How a declaration looks to those who use it: without bodies, values, comments and private members. @module */
import { ts } from '@ts-morph/common';

const printer = ts.createPrinter({ removeComments: true });
const text = (node: ts.Node): string => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile());

/** A declaration without what only its file knows. */
export function declared(node: ts.Declaration): string {
  if (ts.isVariableDeclaration(node)) return `const ${node.name.getText()}${node.type ? `: ${text(node.type)}` : ''}`;
  return text(publicPart(node)).replace(/^export (default )?/, '');
}

/** Whether its comment has `@internal`. */
export function isInternal(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');
}

/** Whether users may name this member of a class. */
export function isPublic(member: ts.ClassElement): boolean {
  const isHidden = member.name !== undefined && ts.isPrivateIdentifier(member.name);
  const flags = ts.getCombinedModifierFlags(member);
  return (
    !isHidden && !isInternal(member) && !(flags & ts.ModifierFlags.Private) && !ts.isClassStaticBlockDeclaration(member)
  );
}

function publicPart(node: ts.Declaration): ts.Node {
  const { factory } = ts;
  const modifiers = (each: ts.FunctionDeclaration | ts.ClassDeclaration): ts.Modifier[] =>
    (ts.getModifiers(each) ?? []).filter(({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword);
  if (ts.isFunctionDeclaration(node)) {
    const { name, typeParameters, parameters, type } = node;
    const asked = parameters.map((each) => withoutDefault(each));
    return factory.createFunctionDeclaration(modifiers(node), undefined, name, typeParameters, asked, type, undefined);
  }
  if (!ts.isClassDeclaration(node)) return node;
  const members = node.members.filter((member) => isPublic(member)).map((member) => publicMember(member));
  return factory.createClassDeclaration(modifiers(node), node.name, node.typeParameters, node.heritageClauses, members);
}

function publicMember(member: ts.ClassElement): ts.ClassElement {
  const { factory } = ts;
  const modifiers = ts.canHaveModifiers(member)
    ? (ts.getModifiers(member) ?? []).filter(({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword)
    : [];
  const asked = ts.isFunctionLike(member) ? member.parameters.map((each) => withoutDefault(each)) : [];
  if (ts.isMethodDeclaration(member)) {
    const { name, questionToken, typeParameters, type } = member;
    return factory.createMethodDeclaration(
      modifiers,
      undefined,
      name,
      questionToken,
      typeParameters,
      asked,
      type,
      undefined,
    );
  }
  if (ts.isConstructorDeclaration(member)) return factory.createConstructorDeclaration(modifiers, asked, undefined);
  if (ts.isGetAccessor(member))
    return factory.createGetAccessorDeclaration(modifiers, member.name, [], member.type, undefined);
  if (ts.isSetAccessor(member)) return factory.createSetAccessorDeclaration(modifiers, member.name, asked, undefined);
  if (ts.isPropertyDeclaration(member))
    return factory.createPropertyDeclaration(modifiers, member.name, member.questionToken, member.type, undefined);
  return member;
}

/** A parameter with a default may be left out. */
function withoutDefault(parameter: ts.ParameterDeclaration): ts.ParameterDeclaration {
  const { name, type, initializer, dotDotDotToken, questionToken } = parameter;
  const mark = questionToken ?? (initializer ? ts.factory.createToken(ts.SyntaxKind.QuestionToken) : undefined);
  const label = ts.isIdentifier(name) ? name : ts.factory.createIdentifier('options');
  return ts.factory.createParameterDeclaration(undefined, dotDotDotToken, label, mark, type, undefined);
}
