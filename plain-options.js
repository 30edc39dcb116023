/**
 * Options, and the metadata of clients, as plain interfaces in the declarations of the package: an editor shows
 * `siteName?: string | undefined` in the place of `OptionsOf<{ siteName: Option<…> }>`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import ts from 'typescript';

const FLAGS =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.UseFullyQualifiedType |
  ts.NodeBuilderFlags.UseStructuralFallback |
  ts.NodeBuilderFlags.AllowUniqueESSymbolType |
  ts.NodeBuilderFlags.IgnoreErrors;

/** The types that are made from rows. */
const MADE = 'OptionsOf';
/** The interface to which each list of rows adds its fields. */
const FILLED = 'ClientMetadata';
/** The names of the grant types, which otherwise lead to the declarations of all features. */
const UNION = 'BuiltInGrantType';

/**
 * Writes them into the declarations that `program` has emitted.
 *
 * @param program of the folder `from`, whose declarations are in the folder `to`
 */
export function writePlainOptions(program, { from, to }) {
  const checker = program.getTypeChecker();
  const sources = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(from) && !fileName.endsWith('.d.ts'));
  const aliases = sources.flatMap((source) => source.statements.filter(isMade));
  // which type has a name, and where
  const named = new Map(aliases.map((alias) => [keyOf(checker.getTypeAtLocation(alias.name)), alias]));
  const printer = ts.createPrinter({ removeComments: true });

  for (const source of sources.filter(({ statements }) => statements.some(isReplaced))) {
    const file = join(to, relative(from, source.fileName)).replace(/\.ts$/, '.d.ts');
    const text = readFileSync(file, 'utf8');
    const declared = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const replaced = declared.statements
      .filter(isReplaced)
      .reverse()
      .reduce((all, statement) => {
        // the type to which a feature adds its rows is written out, with these rows
        if (ts.isModuleDeclaration(statement))
          return `${all.slice(0, statement.getStart())}${all.slice(statement.getEnd())}`;
        const alias = aliases.find(
          ({ name, parent }) => parent === source && name.text === statement.name.text,
        );
        const type = checker.getTypeAtLocation(alias.name);
        const written = type.isUnion()
          ? `export type ${alias.name.text} = ${type.types.map((part) => checker.typeToString(part)).join(' | ')};`
          : `export interface ${alias.name.text} {\n${membersOf(type, alias, '    ')}}`;
        return `${all.slice(0, statement.getStart())}${written}${all.slice(statement.getEnd())}`;
      }, text);
    writeFileSync(file, replaced);
  }

  function isOfRows(type) {
    return named.has(keyOf(type)) || type.aliasSymbol?.name === MADE;
  }

  /** Options by a name of the host's, such as those of scopes, or in a list, such as those of webhooks. */
  function elementsOf(type) {
    if (checker.isArrayType(type)) return { inList: checker.getTypeArguments(type)[0] };
    return { byName: checker.getIndexTypeOfType(type, ts.IndexKind.String) };
  }

  function leadsToRows(type) {
    if (type === undefined) return false;
    if (isOfRows(type)) return true;
    if (type.isUnion()) return type.types.some(leadsToRows);
    const { byName, inList } = elementsOf(type);
    return leadsToRows(byName ?? inList);
  }

  /** The lines of the members of a type. */
  function membersOf(type, at, indent) {
    return checker
      .getPropertiesOfType(type)
      .map((property) => {
        const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
        const docs = ts.displayPartsToString(property.getDocumentationComment(checker));
        const comment =
          docs === ''
            ? ''
            : `${indent}/**\n${docs
                .split('\n')
                .map((line) => `${indent} * ${line}\n`)
                .join('')}${indent} */\n`;
        const value = checker.getTypeOfSymbol(property);
        const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : `'${property.name}'`;
        return `${comment}${indent}readonly ${name}${isOptional ? '?' : ''}: ${textOf(value, at, indent)};\n`;
      })
      .join('');
  }

  function textOf(type, at, indent) {
    const alias = named.get(keyOf(type));
    if (alias !== undefined) return referenceTo(alias, at);
    // each part by itself: a union of options and something else has no name
    if (type.isUnion() && type.aliasSymbol === undefined && type.types.some(leadsToRows))
      return [...new Set(partsOf(type).map((part) => textOf(part, at, indent)))].join(' | ');
    const { byName, inList } = elementsOf(type);
    if (leadsToRows(byName)) return `Readonly<Record<string, ${textOf(byName, at, indent)}>>`;
    if (leadsToRows(inList)) return `ReadonlyArray<${textOf(inList, at, indent)}>`;
    if (isOfRows(type)) return `{\n${membersOf(type, at, `${indent}    `)}${indent}}`;
    const node = checker.typeToTypeNode(type, at, FLAGS);
    const text = printer.printNode(ts.EmitHint.Unspecified, node, at.getSourceFile());
    return withPaths(text, at).replaceAll('\n', `\n${indent}`);
  }

  /** `boolean`, which is a union of two, comes first, and `undefined` last. */
  function partsOf(union) {
    const isBoolean = ({ flags }) => (flags & ts.TypeFlags.BooleanLiteral) !== 0;
    const isUndefined = ({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0;
    const booleans = union.types.filter(isBoolean);
    const others = union.types.filter((part) => !isBoolean(part) && !isUndefined(part));
    const first = booleans.length < 2 ? booleans : [checker.getBooleanType()];
    return [...first, ...others, ...union.types.filter(isUndefined)];
  }

  function referenceTo(alias, at) {
    const [there, here] = [alias.getSourceFile().fileName, at.getSourceFile().fileName];
    return there === here ? alias.name.text : `import("${pathFrom(here, there)}").${alias.name.text}`;
  }

  function withPaths(text, at) {
    return text.replaceAll(/import\((["'])(.*?)\1\)/g, (whole, _quote, path) =>
      path.startsWith('/') ? `import("${pathFrom(at.getSourceFile().fileName, path)}")` : whole,
    );
  }
}

/** The same type has another object for each name; what it is made of is there once. */
function keyOf(type) {
  return type.isIntersection() ? type.types.map(({ id }) => id).join(' ') : type;
}

function isMade(statement) {
  if (ts.isInterfaceDeclaration(statement)) return statement.name.text === FILLED;
  if (!ts.isTypeAliasDeclaration(statement)) return false;
  if (statement.name.text === UNION) return true;
  return ts.isTypeReferenceNode(statement.type) && statement.type.typeName.getText() === MADE;
}

/** `declare global` stays: it gives a request its `auth`. */
function isReplaced(statement) {
  return isMade(statement) || (ts.isModuleDeclaration(statement) && ts.isStringLiteral(statement.name));
}

function pathFrom(here, there) {
  const path = relative(dirname(here), there.replace(/\.ts$/, ''));
  return `${path.startsWith('.') ? path : `./${path}`}.js`;
}
