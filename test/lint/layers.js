import { dirname, relative, resolve, sep } from 'node:path';

const LIB = resolve(import.meta.dirname, '../../lib');

/**
 * The floors of lib/, the lowest first, each a room or a file at the top: it imports from the floors below it and from
 * itself, never from above. guard/ is below models/: its door is for processes without them.
 */
export const FLOORS = [
  'packaged-views.ts',
  'noted-text.ts',
  'once.ts',
  'after.ts',
  'memory.ts',
  'failure-reasons.ts',
  'errors.ts',
  'crypto',
  'messages',
  'protocol',
  'limits',
  'outbound',
  'settings',
  'observability',
  'webhooks',
  'http',
  'sessions',
  'clients',
  'details',
  'proofs',
  'keys',
  'openid',
  'grants',
  'guard',
  'guard.ts',
  'models',
  'client-authentication',
  'grant-types',
  'rendering',
  'authorization',
  'server',
  'pages',
  'endpoints',
  'features',
  'built-in.ts',
  'authorization-server.ts',
  'testing',
  'testing.ts',
  'cli',
  'index.ts',
];

/** The room of a path, or its name if it lies at the top; what lies outside of lib/ has a name that is no floor. */
function roomOf(path) {
  const [top, ...rest] = relative(LIB, path).split(sep);
  return rest.length > 0 ? top : top.replace(/(\.[cm]?[jt]s)?$/, '.ts');
}

/** What is wrong with an import; undefined if nothing is. */
function problemOf(specifier, filename) {
  if (specifier === undefined) return 'An import is written out, or nobody can tell to which floor it leads.';
  const own = roomOf(filename);
  const isPath = /^[./]/.test(specifier);
  const isOurName = /^express-authorization-server(\/|$)/.test(specifier);
  if (!isPath && !isOurName)
    // protocol/ reads and writes texts: it does no I/O and loads no schemas; a hash is arithmetic
    return own === 'protocol' && specifier !== 'node:crypto'
      ? `lib/protocol does no I/O: it loads nothing from outside, as '${specifier}' is.`
      : undefined;
  const room = isPath ? roomOf(resolve(dirname(filename), specifier)) : 'index.ts';
  if (!FLOORS.includes(room)) return `'${specifier}' leads to no floor of lib/ (test/lint/layers.js).`;
  return FLOORS.indexOf(room) > FLOORS.indexOf(own)
    ? `lib/${room} lies above lib/${own}: imports go down only (see CONTRIBUTING.md).`
    : undefined;
}

/** A text that is written out. */
function textOf(node) {
  if (node.type === 'TemplateLiteral' && node.quasis.length === 1) return node.quasis[0].value.cooked;
  return typeof node.value === 'string' ? node.value : undefined;
}

/** Imports of any kind go down only, and each file is on a floor. */
export const floors = {
  meta: { type: 'problem' },
  create({ filename, sourceCode, report }) {
    const own = roomOf(filename);
    if (!FLOORS.includes(own)) {
      const message = `lib/${own} is on no floor: name it in test/lint/layers.js and the map of CONTRIBUTING.md.`;
      return { Program: (node) => report({ node, message }) };
    }
    const check = (node) => {
      const message = problemOf(textOf(node), filename);
      if (message !== undefined) report({ node, message });
    };
    // what it gives may have any name: a call with a path is taken for an import then
    const hasRequire = sourceCode.text.includes('createRequire');
    return {
      ':matches(ImportDeclaration, ExportNamedDeclaration, ExportAllDeclaration) > .source': check,
      ':matches(ImportExpression, TSImportType) > .source': check,
      'TSExternalModuleReference > .expression': check,
      'TSModuleDeclaration > Literal.id': check,
      'CallExpression[arguments.length>0]': ({ callee, arguments: [first] }) => {
        if (callee.name === 'require' || (hasRequire && /^[./]/.test(textOf(first)))) check(first);
      },
    };
  },
};
