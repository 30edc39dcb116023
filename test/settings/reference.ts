import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import ts from 'typescript';

/** A row of the table of options, as in its source. */
export interface DocumentedOption {
  readonly name: string;
  readonly isRequired: boolean;
  /** The words of the documentation for the default; undefined if there are none. */
  readonly default: string | undefined;
  readonly meaning: string;
  /** The options inside. */
  readonly members?: DocumentedRows;
  /** The options inside each of several kinds of objects. */
  readonly kinds?: readonly { readonly name: string; readonly rows: DocumentedRows }[];
  /** Whether it is an object or a list with many of these. */
  readonly isRecord: boolean;
}

export interface DocumentedRows {
  readonly id: string;
  readonly docs: string;
  readonly options: readonly DocumentedOption[];
  /** The groups, if the rows consist of groups. */
  readonly groups: readonly DocumentedRows[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Each public function with options, and the place of its rows. */
export const FUNCTIONS = [
  ['authorizationServer(options)', 'lib/settings/options.ts', 'coreOptions'],
  ['oauth.guard(options), guard(options)', 'lib/settings/options/guard-options.ts', 'routeOptions'],
  [
    'oauth.guard.upgrade(server, options, onUpgrade), guard.upgrade(server, options, onUpgrade)',
    'lib/settings/options/guard-options.ts',
    'upgradeOptions',
  ],
  [
    'oauth.guard.strategy(options), guard.strategy(options)',
    'lib/settings/options/guard-options.ts',
    'strategyOptions',
  ],
  [
    'oauth.verify(token, options), guard.verify(token, options)',
    'lib/settings/options/guard-options.ts',
    'verifyOptions',
  ],
  ['oauth.mcp(options), guard.mcp(options)', 'lib/features/mcp/mcp-options.ts', 'mcpOptions'],
  [
    'oauth.mcp.requireBearerAuth(options), guard.mcp.requireBearerAuth(options)',
    'lib/features/mcp/mcp-options.ts',
    'requireBearerAuthOptions',
  ],
  ['oauth.openapi(options)', 'lib/settings/options/openapi-options.ts', 'openApiOptions'],
  ['bearerGuard(options)', 'lib/settings/bearer-guard-options.ts', 'bearerGuardOptions'],
  ['localLogin(options)', 'lib/pages/login/local-login-options.ts', 'localLoginOptions'],
  ['oauth.clients.create(client)', 'lib/core/clients/registry/client-registry.ts', 'NewClient'],
  ['createUsers(connection, options)', 'lib/settings/options/users-options.ts', 'usersOptions'],
  ['oauth.grants.create(grant)', 'lib/core/grants/programmatic-grants.ts', 'newGrantOptions'],
  ['oauth.grants.revoke(of, reason)', 'lib/core/grants/grant-registry.ts', 'filterOptions'],
  [
    'oauth.registration.createInitialAccessToken(options)',
    'lib/features/registration/initial-access-tokens.ts',
    'initialAccessTokenOptions',
  ],
  [
    'oauth.personalAccessTokens.create(token)',
    'lib/features/personal-access-tokens/token-options.ts',
    'newTokenOptions',
  ],
  [
    'oauth.personalAccessTokens.list(whose)',
    'lib/features/personal-access-tokens/token-options.ts',
    'whoseTokensOptions',
  ],
  [
    'oauth.personalAccessTokens.rotate(id, options)',
    'lib/features/personal-access-tokens/token-options.ts',
    'rotationOptions',
  ],
  [
    'oauth.personalAccessTokens.block(id, options)',
    'lib/features/personal-access-tokens/token-options.ts',
    'blockOptions',
  ],
  ['oauth.people.end(userId, options)', 'lib/core/people/people-registry.ts', 'accountEndOptions'],
  ['oauth.audit.find(query)', 'lib/core/observability/audit-log.ts', 'queryOptions'],
] as const;

/** The rows of a constant: its properties, and those from other constants. */
export function readRows(file: string, constant: string): DocumentedRows {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(root, file), 'utf8'),
    ts.ScriptTarget.ES2023,
    true,
  );
  const statement = source.statements
    .filter(ts.isVariableStatement)
    .find(({ declarationList }) => declarationList.declarations[0]?.name.getText() === constant);
  const type = source.statements.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === constant);
  if (type !== undefined) return readMembers(file, type);
  if (statement === undefined) {
    const imported = importedFrom(source, constant);
    if (imported === undefined) throw new Error(`${file} has no ${constant}`);
    return readRows(join(dirname(file), imported).replace(/\.js$/, '.ts'), constant);
  }
  const value = statement.declarationList.declarations[0]?.initializer;
  if (value === undefined || !ts.isObjectLiteralExpression(value))
    throw new Error(`${constant} is no object`);
  const groups = value.properties
    .filter(ts.isSpreadAssignment)
    .map(({ expression }) => readSpread(file, expression));
  const options = value.properties
    .filter(ts.isPropertyAssignment)
    .map((property) => readOption(file, property));
  if (constant === 'coreOptions') groups.push(...readFeatureRows());
  return { id: `${relative(root, join(root, file))}#${constant}`, docs: docsOf(statement), options, groups };
}

/** A constant, or some of its rows: `pick(routeOptions, 'scopes', 'any')`. */
function readSpread(file: string, spread: ts.Expression): DocumentedRows {
  if (!ts.isCallExpression(spread)) return readRows(file, spread.getText());
  const [from, ...names] = spread.arguments.map((argument) => argument.getText().replaceAll("'", ''));
  const rows = readRows(file, from ?? '');
  return { ...rows, options: names.flatMap((name) => rows.options.filter((option) => option.name === name)) };
}

/** The groups of rows that the folders of features add to those of the core. */
function readFeatureRows(): readonly DocumentedRows[] {
  const files = readdirSync(join(root, 'lib/features'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => basename(file) === 'options.ts')
    .sort()
    .flatMap((name) => {
      const file = join('lib/features', name);
      const [, added = ''] =
        /interface FeatureRows extends RowsOf<typeof (\w+)>/.exec(readFileSync(join(root, file), 'utf8')) ??
        [];
      return readRows(file, added);
    });
}

/** The rows of client fields, each of which adds itself to `ClientMetadata`: those of the core first. */
function readClientFields(): readonly DocumentedOption[] {
  const files = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  return ['core/clients', 'features'].flatMap((folder) =>
    files
      .filter((file) => file.startsWith(folder))
      .sort()
      .flatMap((file) => {
        const text = readFileSync(join(root, 'lib', file), 'utf8');
        const [, added = ''] = /interface ClientMetadata extends ([^{]*)\{/.exec(text) ?? [];
        return [...added.matchAll(/MetadataOf<typeof (\w+)>/g)].flatMap(
          ([, constant = '']) => allOf(readRows(join('lib', file), constant)).options,
        );
      }),
  );
}

/** Without a table so far: the members of an interface, and the fields of clients if it inherits them. */
function readMembers(file: string, type: ts.InterfaceDeclaration): DocumentedRows {
  const options = type.members.filter(ts.isPropertySignature).map((member): DocumentedOption => ({
    name: member.name.getText(),
    isRequired: member.questionToken === undefined,
    isRecord: false,
    ...splitDefault(docsOf(member)),
  }));
  const names = options.map(({ name }) => name);
  const inherited = /ClientMetadata/.test(type.heritageClauses?.[0]?.getText() ?? '')
    ? readClientFields()
    : [];
  return {
    id: `${file}#${type.name.text}`,
    docs: docsOf(type),
    options: [
      ...options,
      ...inherited
        .filter(({ name }) => !names.includes(name))
        .map((option) => ({ ...option, isRequired: false })),
    ],
    groups: [],
  };
}

function readOption(file: string, property: ts.PropertyAssignment): DocumentedOption {
  const { initializer } = property;
  const name = property.name.getText();
  if (ts.isPropertyAccessExpression(initializer)) {
    const found = readRows(file, initializer.expression.getText()).options.find(
      (option) => option.name === initializer.name.text,
    );
    if (found === undefined) throw new Error(`${file}: ${initializer.getText()} is no row`);
    // its docstring is about its place
    const own = splitDefault(docsOf(property));
    return own.meaning === ''
      ? found
      : { ...found, name, meaning: own.meaning, default: own.default ?? found.default };
  }
  const text = initializer.getText();
  const [, shape] = /(\w+Shape)\(\)/.exec(text) ?? [];
  const kinds = shape === undefined ? undefined : readKinds(file, initializer.getSourceFile(), shape);
  if (kinds !== undefined)
    return {
      name,
      isRequired: text.startsWith('required('),
      isRecord: true,
      ...splitDefault(docsOf(property)),
      kinds,
    };
  const [, members] = /\b(?:objectOf|objectOrFalse|group|switchable)\(\s*(\w+)/.exec(text) ?? [];
  return {
    name,
    isRequired: text.startsWith('required('),
    isRecord: /recordOf\([\s\S]*objectOf\(/.test(text),
    ...splitDefault(docsOf(property)),
    ...(members !== undefined && { members: readRows(file, members) }),
  };
}

/** The kinds of a shape that consists of several constants: `['workload', objectOf(workloadRows, …)]`. */
function readKinds(file: string, source: ts.SourceFile, shape: string): DocumentedOption['kinds'] {
  const [, body = ''] = new RegExp(`function ${shape}\\(\\) {\n([^]*?)\n}`).exec(source.text) ?? [];
  const kinds = [...body.matchAll(/\['(\w+)', objectOf\((\w+),/g)];
  if (kinds.length === 0) return undefined;
  return kinds.map(([, name = '', constant = '']) => ({ name, rows: readRows(file, constant) }));
}

function importedFrom(source: ts.SourceFile, name: string): string | undefined {
  return source.statements
    .filter(ts.isImportDeclaration)
    .filter(({ importClause }) => new RegExp(`\\b${name}\\b`).test(importClause?.getText() ?? ''))
    .map(({ moduleSpecifier }) => (moduleSpecifier as ts.StringLiteral).text)[0];
}

function docsOf(node: ts.Node): string {
  const docs = ts.getJSDocCommentsAndTags(node).find(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(docs?.comment) ?? '').replaceAll(/\s+/g, ' ');
}

/** "Default: …" up to the end of its sentence or a semicolon. */
function splitDefault(docs: string): Pick<DocumentedOption, 'default' | 'meaning'> {
  const found = / ?Default: ((?:`[^`]*`|[^`;.]|\.(?! |$))+)([;.]|$) ?/.exec(docs);
  if (found === null) return { default: undefined, meaning: docs };
  const after = docs.slice(found.index + found[0].length);
  const rest = found[2] === ';' ? `${after.charAt(0).toUpperCase()}${after.slice(1)}` : after;
  return {
    default: found[1],
    meaning: [docs.slice(0, found.index), rest].filter((part) => part !== '').join(' '),
  };
}

/** The rows with those of their groups. */
export function allOf(rows: DocumentedRows): DocumentedRows {
  const ofGroups = rows.groups.flatMap((group) => allOf(group).options);
  // a row replaces a spread one of the same name
  const others = ofGroups.filter(({ name }) => !rows.options.some((own) => own.name === name));
  return { ...rows, options: [...others, ...rows.options] };
}

/** As GitHub names a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
