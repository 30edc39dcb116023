import { dirname, relative, resolve, sep } from 'node:path';

const LIB = resolve(import.meta.dirname, '../../lib');

/** Folders whose subfolders are separate modules. */
const SPLIT = ['shared', 'core'];

/**
 * The layers of lib/, the lowest first. Each is a module (a folder) or an entry point (a file): it imports from the
 * layers below it and from itself, never from above. `core/guard` and `features/mcp` lie below `storage`, because the
 * entry point of other processes (`guard.ts`) loads no Mongoose.
 */
export const LAYERS = [
  'messages',
  'shared',
  'shared/crypto',
  'shared/protocol',
  'shared/limits',
  'shared/outbound',
  'settings',
  'core/observability',
  'core/http',
  'core/sessions',
  'core/clients',
  'core/authorization-details',
  'core/proof-of-possession',
  'core/keys',
  'core/openid',
  'core/grants',
  'core/people',
  'core/guard',
  'features/mcp',
  'guard.ts',
  'core/client-authentication',
  'core/grant-types',
  'core/authorization',
  'delivery',
  'storage',
  'pages',
  'server',
  'features',
  'features.ts',
  'authorization-server.ts',
  'testing',
  'testing.ts',
  'cli',
  'index.ts',
];

/** The module of a path, or the name of a file at the top; a path outside of lib/ has a name that is no layer. */
function layerOf(path) {
  const [top, next, ...rest] = relative(LIB, path).split(sep);
  if (next === undefined) return top.replace(/(\.[cm]?[jt]s)?$/, '.ts');
  const folder = `${top}/${next}`;
  return LAYERS.includes(folder) || (SPLIT.includes(top) && rest.length > 0) ? folder : top;
}

/** The fault of an import; undefined if there is none. */
function problemOf(specifier, filename) {
  if (specifier === undefined) return 'An import is written out, or nobody can tell to which layer it leads.';
  const own = layerOf(filename);
  const isPath = /^[./]/.test(specifier);
  const isOurName = /^express-authorization-server(\/|$)/.test(specifier);
  if (!isPath && !isOurName)
    // shared/protocol reads and writes texts: it does no I/O and loads no schemas; a hash is arithmetic
    return own === 'shared/protocol' && specifier !== 'node:crypto'
      ? `lib/shared/protocol does no I/O: it loads nothing from outside, as '${specifier}' is.`
      : undefined;
  const layer = isPath ? layerOf(resolve(dirname(filename), specifier)) : 'index.ts';
  if (!LAYERS.includes(layer)) return `'${specifier}' leads to no layer of lib/ (test/lint/layers.js).`;
  return LAYERS.indexOf(layer) > LAYERS.indexOf(own)
    ? `lib/${layer} lies above lib/${own}: imports go down only (see CONTRIBUTING.md).`
    : undefined;
}

/** A literal text. */
function textOf(node) {
  if (node.type === 'TemplateLiteral' && node.quasis.length === 1) return node.quasis[0].value.cooked;
  return typeof node.value === 'string' ? node.value : undefined;
}

/** Imports of any kind go down only, and each file is in a layer. */
export const layers = {
  meta: { type: 'problem' },
  create({ filename, sourceCode, report }) {
    const own = layerOf(filename);
    if (!LAYERS.includes(own)) {
      const message = `lib/${own} is in no layer: name it in test/lint/layers.js and the map of CONTRIBUTING.md.`;
      return { Program: (node) => report({ node, message }) };
    }
    const check = (node) => {
      const message = problemOf(textOf(node), filename);
      if (message !== undefined) report({ node, message });
    };
    // its result may have any name: any call with a path is then taken for an import
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
