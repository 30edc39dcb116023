/**
 * `npm run build`: lib/ into dist/, as CommonJS, which both `import` and `require()` load. ES modules alone would not
 * suffice: Jest requires them only since Node.js 24.9. Shared code of the entry points is written once.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

import { transform } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';

import { writePlainOptions } from './plain-options.js';
import { createSbom } from './sbom.js';

const ROOT = import.meta.dirname;
const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const manifest = readJson('package.json');
const DIST = join(ROOT, 'dist');
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
/** The package's entry points. */
const ENTRY_POINTS = ['index', 'guard', 'testing'];
/** Dependencies that are only ES modules. */
const ES_MODULES = ['intl-messageformat', 'jose', 'leven'];
/**
 * Types for the declarations in the place of jose's, which CommonJS cannot import. They appear only within types of
 * this package.
 */
const STAND_INS = `type Members = { readonly [name: string]: unknown };
export type JWK = Members;
export type JWTPayload = Members;
export type JWTVerifyGetKey = Members;
export type JWTVerifyOptions = Members;
`;
const CUSTOM_FIELDS = 'custom-fields.js';
const STOOD_IN = /(["'])jose(?:\/[^"']*)?\1/g;

const NODE = { platform: 'node', target: 'node20.19' };
const inLib = (path) => join(ROOT, 'lib', path);
/** The source file of an import: `./x.js` means x.ts. */
const fileOf = (source, importer) =>
  source.startsWith('.') ? resolve(dirname(importer), source.replace(/\.js$/, '.ts')) : undefined;

const sources = {
  name: 'sources',
  resolveId(source, importer) {
    return importer === undefined ? undefined : fileOf(source, importer);
  },
  async load(path) {
    // views and languages are JSON, read at first use, which bundlers of sites include
    if (path === inLib('pages/rendering/packaged-views.ts'))
      return `export const PACKAGED_VIEWS = new Map(Object.entries(require('./views.json')));`;
    const { code } = await transform(readFileSync(path, 'utf8'), { ...NODE, loader: 'ts' });
    return (
      code
        .replace('const require = createRequire(import.meta.url);', '')
        .replace('createRequire(import.meta.url)', 'require')
        .replaceAll(/require\("\.\/(\w+\.json)"\)/g, 'require("./messages/$1")')
        // English is also read at first use
        .replace(/^ {2}en,$/m, '  get en() { return en; },')
        // the package's main file loads limiters for twenty databases, 14 of 200 ms of CPU time
        .replace(/import \{ (\w+) \} from "(rate-limiter-flexible)"/, 'import $1 from "$2/lib/$1.js"')
    );
  },
};

/** Modules that are loaded at first use: each of these folders becomes one file; MCP is part of the guard. */
const LAZY =
  /[\\/]lib[\\/](?:features[\\/](?!mcp[\\/])([^\\/]+)|pages[\\/](applications|connected-apps))[\\/]|[\\/]lib[\\/]messages[\\/](en)\.ts$/;
/** Features of at most 3 kB, which need no file of their own. */
const SMALL = new Set(['mutual-tls', 'pushed-requests', 'response-modes', 'spiffe']);
const lazyFileOf = (path) => LAZY.exec(path)?.slice(1).find(Boolean);

/** The names that a module uses during its evaluation, outside functions. */
function namesAtOnce(node, names = new Set()) {
  if (Array.isArray(node)) for (const each of node) namesAtOnce(each, names);
  if (typeof node?.type !== 'string' || /^Import|Function|^(Method|Property)Definition$/.test(node.type))
    return names;
  if (node.type === 'Identifier') names.add(node.name);
  for (const [name, part] of Object.entries(node))
    if (node.computed === false && (name === 'key' || name === 'property')) continue;
    else if (part !== null && typeof part === 'object') namesAtOnce(part, names);
  return names;
}

/** The file of a module in dist/: that of the guard, of each server, or of one LAZY folder. */
function createPlan(getModuleInfo) {
  const importsOf = (path) => {
    const { ast } = getModuleInfo(path);
    const atOnce = namesAtOnce(ast);
    return ast.body
      .filter(({ type, source }) => /^Import|^Export/.test(type) && source)
      .flatMap(({ type, source, specifiers = [] }) => {
        const id = fileOf(source.value, path);
        if (id === undefined) return [];
        const isLazy =
          type === 'ImportDeclaration' &&
          lazyFileOf(id) !== undefined &&
          !specifiers.some(({ local }) => atOnce.has(local.name));
        return [{ id, isLazy }];
      });
  };
  const reach = (paths, options = {}, reached = new Set()) => {
    for (const path of paths) {
      if (reached.has(path)) continue;
      reached.add(path);
      reach(
        importsOf(path)
          .filter(({ isLazy }) => options.all || !isLazy)
          .map(({ id }) => id),
        options,
        reached,
      );
    }
    return reached;
  };
  const guard = reach([inLib('guard.ts')]);
  const server = reach([inLib('index.ts')]);
  const all = [...reach([inLib('index.ts')], { all: true })];
  const lazy = new Map();
  for (const name of new Set(all.flatMap((path) => lazyFileOf(path) ?? [])))
    lazy.set(name, reach(all.filter((path) => lazyFileOf(path) === name)));
  return (path) => {
    if (getModuleInfo(path).isEntry) return undefined;
    if (guard.has(path)) return server.has(path) ? 'guard-parts' : undefined;
    if (server.has(path)) return 'server';
    const names = [...lazy].filter(([, paths]) => paths.has(path)).map(([name]) => name);
    const name = lazyFileOf(path) ?? (names.length > 1 ? 'shared' : names[0]);
    return SMALL.has(name) ? 'shared' : name;
  };
}

/**
 * V8 stores a source with a single character beyond Latin-1 at two bytes per character, which takes 2.3 MB more per
 * process. esbuild escapes such characters in code, but not in the comments that it keeps.
 */
function inLatin1(code) {
  return code.replaceAll(/[^\0-\xff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Before Node.js 24.9, Jest compiles every required file as CommonJS, so Node.js has to require ES modules. Bundlers
 * still see the call of `require()`.
 */
function requireEsModules(code) {
  const text = code.replaceAll(/require\("([^"]+)"\)/g, (call, path) =>
    ES_MODULES.includes(path.split('/')[0]) ? `requireEsModule("${path}", () => ${call})` : call,
  );
  if (text === code) return code;
  return `${text}
function requireEsModule(path, load) {
  try { return load(); } catch {
    const { createRequire } = require("node:vm").runInThisContext('process.getBuiltinModule("node:module")');
    return createRequire(__filename)(path);
  }
}
`;
}

/** Replaces early imports by `require()` calls at first use. */
function requireLate(code, isLate) {
  const names = [];
  const text = code.replaceAll(
    /^var (import_\w+) = (.*require\("([^"]+)"\).*);$/gm,
    (line, name, load, path) => {
      if (!isLate(path)) return line;
      names.push(name);
      return `var ${name} = late(() => ${load});`;
    },
  );
  if (names.length === 0) return code;
  const used = new RegExp(`\\b(${names.join('|')})\\.`, 'g');
  return `${text.replaceAll(used, '($1()).')}function late(load) { let loaded; return () => (loaded ??= load()); }\n`;
}

/**
 * Writes ES modules as CommonJS, without indentation and comments, which are a fifth of the parsed text. Names stay and
 * lines are short, so that stack traces are useful.
 */
async function writeCommonJs(path, text, isLate = () => false) {
  const { code } = await transform(text, {
    ...NODE,
    format: 'cjs',
    // late imports become `require()`: Jest has no `import()` without a flag
    supported: { 'dynamic-import': false },
  });
  const requiring = requireEsModules(code.replaceAll(/require\("(\.[^"]*)\.js"\)/g, 'require("$1.cjs")'));
  const late = requireLate(requiring, isLate);
  const { code: short } = await transform(late, { ...NODE, minifyWhitespace: true, lineLimit: 120 });
  // joins broken strings, so that a search for require("…") finds all
  const unbroken = short.replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, '$1');
  // tells Node.js the names for `import`; esbuild treats it as unreachable code
  const [names = ''] = /^0 && \(module\.exports = [^;]*;$/m.exec(code) ?? [];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path.replace(/\.js$/, '.cjs'), `${inLatin1(unbroken)}${names.replaceAll(/\s+/g, '')}\n`, {
    mode: text.startsWith('#!') ? 0o755 : 0o644,
  });
}

/** Builds the package. */
async function buildServer() {
  const isExternal = (id) => dependencies.some((name) => id === name || id.startsWith(`${name}/`));
  const bundle = await rollup({
    input: Object.fromEntries([...ENTRY_POINTS, 'cli/main'].map((name) => [name, inLib(`${name}.ts`)])),
    external: (id) => id.startsWith('node:') || isExternal(id),
    plugins: [sources],
    treeshake: { moduleSideEffects: (id) => id === inLib('cli/main.ts') },
    // late imports may be circular
    onLog: (level, log, handle) => /^CIRC|^CYCL/.test(log.code) || handle(level, log),
  });
  let plan;
  const { output } = await bundle.generate({
    format: 'es',
    chunkFileNames: '[name].js',
    hoistTransitiveImports: false,
    minifyInternalExports: false,
    onlyExplicitManualChunks: true,
    manualChunks: (path, { getModuleInfo }) => (plan ??= createPlan(getModuleInfo))(path),
  });
  const shared = ['server', 'guard-parts'];
  const late = output.filter(({ isEntry, name }) => !isEntry && !shared.includes(name));
  const lateFiles = new Set(late.map(({ name }) => `${name}.cjs`));
  for (const { fileName, code } of output)
    await writeCommonJs(
      join(DIST, fileName),
      code,
      (path) => lateFiles.has(basename(path)) || isExternal(path),
    );
}

function writeTexts() {
  mkdirSync(join(DIST, 'messages'));
  for (const file of readdirSync(join(ROOT, 'lib/messages')).filter((name) => /^\w+\.json$/.test(name)))
    copyFileSync(join(ROOT, 'lib/messages', file), join(DIST, 'messages', file));
  const folder = join(ROOT, 'views');
  const files = readdirSync(folder, { recursive: true }).filter((file) => /\.\w+$/.test(file));
  const views = files
    .sort()
    .map((file) => [file.split(sep).join('/'), readFileSync(join(folder, file), 'utf8')]);
  writeFileSync(join(DIST, 'views.json'), JSON.stringify(Object.fromEntries(views)));
}

/** The dependencies of the build and the tests: package.json of an installed package has only ranges. */
function writeSbom() {
  const { packages } = readJson('package-lock.json');
  writeFileSync(
    join(DIST, 'sbom.cdx.json'),
    `${JSON.stringify(createSbom({ manifest, packages }), null, 2)}\n`,
  );
}

/** Editors show types' comments. The types of constants, such as option rows, would repeat them up to six times. */
function withoutComments(text) {
  const printer = ts.createPrinter({ removeComments: true });
  const source = ts.createSourceFile('declarations.d.ts', text, ts.ScriptTarget.Latest, true);
  return source.statements
    .filter(ts.isVariableStatement)
    .reverse()
    .reduce((all, node) => {
      const printed = printer.printNode(ts.EmitHint.Unspecified, node, source);
      return `${all.slice(0, node.getStart())}${printed}${all.slice(node.getEnd())}`;
    }, text);
}

/** Builds the declarations of the entry points, with shared types once, for `require` and `import`. */
async function buildDeclarations() {
  const from = join(ROOT, 'lib');
  const to = join(DIST, 'declarations');
  const { config } = ts.readConfigFile(join(from, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, from);
  // `npm run check` checks the types; a second check costs 12 s of CPU time (21 instead of 9)
  const program = ts.createProgram(fileNames, { ...options, outDir: to, noCheck: true });
  // an inferred type of Node.js may have no name for a declaration
  const { emitSkipped, diagnostics } = program.emit();
  if (emitSkipped) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
  writePlainOptions(program, { from, to });
  writeFileSync(join(to, 'stand-ins.d.ts'), STAND_INS);
  for (const file of readdirSync(to, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    const path = join(to, file);
    const standIns = `${relative(dirname(path), to) || '.'}/stand-ins.js`;
    writeFileSync(path, withoutComments(readFileSync(path, 'utf8').replaceAll(STOOD_IN, `$1${standIns}$1`)));
  }
  const bundle = await rollup({
    input: Object.fromEntries(ENTRY_POINTS.map((name) => [name, join(to, `${name}.d.ts`)])),
    external: (id) => !/^[./]/.test(id) || id.endsWith(CUSTOM_FIELDS),
    plugins: [dts()],
  });
  await bundle.write({ dir: DIST, entryFileNames: '[name].d.cts', chunkFileNames: 'types.d.cts' });
  await bundle.close();
  // sites extend these interfaces by declaration merging, so `export *` has to lead to them
  copyFileSync(join(to, 'shared/custom-fields.d.ts'), join(DIST, 'custom-fields.d.cts'));
  for (const file of readdirSync(DIST).filter((name) => name.endsWith('.d.cts'))) {
    const text = readFileSync(join(DIST, file), 'utf8');
    writeFileSync(
      join(DIST, file),
      text.replaceAll(/(["'])[^"']*\/custom-fields\.js\1/g, `'./custom-fields.cjs'`),
    );
  }
  rmSync(to, { recursive: true });
}

rmSync(DIST, { recursive: true, force: true });
await buildDeclarations();
writeTexts();
await buildServer();
writeSbom();
