/**
 * `npm run build`: lib/ into dist/, as CommonJS, which `import` loads as well as `require()`. ES modules alone would not
 * do: Jest requires them only since Node.js 24.9. What the entry points have in common is there once.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, transform } from 'esbuild';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import ts from 'typescript';

import { writePlainOptions } from './plain-options.js';
import { createSbom } from './sbom.js';

const ROOT = import.meta.dirname;
const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const manifest = readJson('package.json');
const DIST = join(ROOT, 'dist');
/** What a program imports. */
const ENTRY_POINTS = ['index', 'guard', 'testing'];
/**
 * Dependencies that are ES modules only. `imports` of package.json leads from `#jose` to the package itself where
 * `require()` loads ES modules, and to a copy in dist/for-require where it does not: in Jest before Node.js 24.9, in old
 * bundlers.
 */
const ES_MODULES = Object.keys(manifest.imports).map((name) => name.slice(1));
/**
 * What our declarations say of dependencies whose own need a newer TypeScript (zod), or cannot be had from CommonJS
 * (jose). A host sees none of these types but through ours.
 */
const STAND_INS = `export interface ZodType<Output = unknown, Input = unknown, Internals = unknown> {
  readonly _zod: { readonly output: Output; readonly input: Input; readonly internals?: Internals };
}
export interface $ZodTypeInternals<Output, Input> {
  readonly output: Output;
  readonly input: Input;
}
type Members = { readonly [name: string]: unknown };
export type JWK = Members;
export type JWTPayload = Members;
export type JWTVerifyGetKey = Members;
export type JWTVerifyOptions = Members;
`;
const CUSTOM_FIELDS = 'custom-fields.js';
const STOOD_IN = /(["'])(?:zod(?:\/[^"']*)?|jose(?:\/[^"']*)?)\1/g;

/** Texts of languages and views are JSON, which is read at its first use, and which bundlers of sites take along. */
const textsAsJson = {
  name: 'texts-as-json',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/\w+\.json$/ }, ({ path, importer }) =>
      /[\\/]lib[\\/]messages[\\/]/.test(importer)
        ? { path: path.replace('./', './messages/'), external: true }
        : undefined,
    );
    onResolve({ filter: /^views\.json$/ }, () => ({ path: './views.json', external: true }));
    onLoad({ filter: /[\\/]lib[\\/]pages[\\/]rendering[\\/]packaged-views\.ts$/ }, () => ({
      contents: `export const PACKAGED_VIEWS = new Map(Object.entries(require('views.json')));`,
    }));
    onLoad({ filter: /[\\/]lib[\\/](messages[\\/]index|cli[\\/]program)\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace('const require = createRequire(import.meta.url);', '')
        .replace('createRequire(import.meta.url)', 'require'),
      loader: 'ts',
    }));
  },
};

/**
 * zod is bundled, without its 64 languages: whoever is told what an option must be reads English, and all of them are
 * loaded with its package, which takes 60 of 300 ms of CPU time to import.
 */
const zodInEnglish = {
  name: 'zod-in-english',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^zod$/ }, () => ({ path: fileURLToPath(import.meta.resolve('zod')) }));
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: `export { default as en } from './en.js';`,
    }));
  },
};

/** Of rate-limiter-flexible two limiters: its own entry loads those for twenty databases, 14 of 200 ms of CPU time. */
const LIMITERS = ['RateLimiterMemory', 'RateLimiterMongo'];
const twoLimiters = {
  name: 'two-limiters',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^rate-limiter-flexible$/ }, () => ({ path: 'limiters', namespace: 'limiters' }));
    onLoad({ filter: /./, namespace: 'limiters' }, () => ({
      contents: LIMITERS.map(
        (name) => `export { default as ${name} } from 'rate-limiter-flexible/lib/${name}.js';`,
      ).join('\n'),
      resolveDir: ROOT,
    }));
  },
};

const esModules = {
  name: 'es-modules',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^(${ES_MODULES.join('|')})$`) }, ({ path }) => ({
      path: `#${path}`,
      external: true,
    }));
  },
};

const options = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  write: false,
  metafile: true,
};

/**
 * V8 keeps a source that has a single character beyond Latin-1 at two bytes a character, which takes 2.3 MB more of a
 * process. esbuild escapes such characters in code, and leaves them in the comments that it keeps.
 */
function inLatin1(code) {
  return code.replaceAll(/[^\0-\xff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** esbuild splits ES modules only, so each file of them is made CommonJS afterwards. Returns the files that are in it. */
async function buildCommonJs(more) {
  const { outputFiles, metafile } = await build({ ...options, ...more });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text.replaceAll('__require("', 'require("'), {
      format: 'cjs',
      platform: 'node',
      target: options.target,
      // what is loaded late is required then: Jest has no `import()` without a flag
      supported: { 'dynamic-import': false },
    });
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path.replace(/\.js$/, '.cjs'),
      inLatin1(code).replaceAll(/require\("(\.[^"]*)\.js"\)/g, 'require("$1.cjs")'),
      { mode: text.startsWith('#!') ? 0o755 : 0o644 },
    );
  }
  return Object.keys(metafile.inputs);
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

/** The folders of the packages that files are from. */
function packagesOf(files) {
  const folders = files.flatMap((file) => /^(.*\/)?node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** What is bundled comes with its licence. */
function writeLicences(bundled) {
  const texts = bundled.map((folder) => {
    const name = readdirSync(join(ROOT, folder)).find((file) => /^licen[cs]e/i.test(file));
    return `${folder.replace('node_modules/', '')}\n\n${readFileSync(join(ROOT, folder, name), 'utf8').trim()}\n`;
  });
  writeFileSync(join(DIST, 'bundled-licences.txt'), texts.join(`\n${'-'.repeat(72)}\n\n`));
}

/** Scanners that look at what a site has installed do not see the copies in dist/; this file tells of them. */
function writeSbom(bundled) {
  const { packages } = readJson('package-lock.json');
  for (const folder of bundled) {
    const { version } = readJson(join(folder, 'package.json'));
    if (version !== packages[folder]?.version)
      throw new Error(`${folder} ${version} is not the one of package-lock.json: npm ci`);
  }
  writeFileSync(
    join(DIST, 'sbom.cdx.json'),
    `${JSON.stringify(createSbom({ manifest, packages, bundled }), null, 2)}\n`,
  );
}

/** Editors show comments of types. The types of constants, such as the rows of options, repeat them up to six times. */
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

/** The declarations of each entry point, with what they have in common once, for what requires and what imports. */
async function buildDeclarations() {
  const from = join(ROOT, 'lib');
  const to = join(DIST, 'declarations');
  const { config } = ts.readConfigFile(join(from, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, from);
  // `npm run check` looks at the types; to look again costs a build 12 s of CPU time more (21 in the place of 9)
  const program = ts.createProgram(fileNames, { ...options, outDir: to, noCheck: true });
  program.emit();
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
  // what a site adds to by its own declarations, so it has to be what `export *` finds
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
const bundled = packagesOf([
  ...(await buildCommonJs({
    entryPoints: [...ENTRY_POINTS.map((name) => `lib/${name}.ts`), 'lib/cli/main.ts'],
    outdir: 'dist',
    external: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).flatMap((name) => [
      name,
      `${name}/*`,
    ]),
    plugins: [textsAsJson, zodInEnglish, twoLimiters, esModules],
  })),
  ...(await buildCommonJs({
    entryPoints: Object.fromEntries(ES_MODULES.map((name) => [name, name])),
    outdir: 'dist/for-require',
  })),
]);
writeLicences(bundled);
writeSbom(bundled);
