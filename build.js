/**
 * `npm run build`: lib/ into dist/, as ESM and, for what cannot load ESM (Jest without flags, old bundlers and
 * TypeScript), as CommonJS. Both are split in the same way: what the entry points have in common is there once.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, transform } from 'esbuild';
import ts from 'typescript';

import { writePlainOptions } from './plain-options.js';
import { createSbom } from './sbom.js';

const ROOT = import.meta.dirname;
const DIST = join(ROOT, 'dist');
/** What a program imports. */
const ENTRY_POINTS = ['index', 'guard', 'testing'];
/** Dependencies that are ESM only, and one that asks for `node:crypto`: not every `require()` can have them. */
const NOT_FOR_ALL = ['jose', 'jose/errors', 'intl-messageformat', 'leven', '@fastify/csrf'];

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
export * as z from './stand-ins.js';
type Members = { readonly [name: string]: unknown };
export type JWK = Members;
export type JWTPayload = Members;
export type JWTVerifyGetKey = Members;
export type JWTVerifyOptions = Members;
`;
const STOOD_IN = /(["'])(?:zod(?:\/[^"']*)?|jose(?:\/[^"']*)?)\1/g;

/** The views as texts, in the place of the file that reads their folder: they stay with the code in anybody's bundle. */
const viewsAsTexts = {
  name: 'views-as-texts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]lib[\\/]pages[\\/]rendering[\\/]packaged-views\.ts$/ }, () => {
      const folder = join(ROOT, 'views');
      const files = readdirSync(folder, { recursive: true }).filter((file) => /\.\w+$/.test(file));
      const texts = files.sort().map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
      return { contents: `export const PACKAGED_VIEWS = new Map(${JSON.stringify(texts)});` };
    });
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

/**
 * Of rate-limiter-flexible the two limiters that are used are bundled: its package loads those for twenty databases,
 * which takes 14 of 200 ms of CPU time to import.
 */
const LIMITERS = ['RateLimiterMemory', 'RateLimiterMongo'];
const ownLimiters = {
  name: 'own-limiters',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^rate-limiter-flexible$/ }, () => ({ path: 'limiters', namespace: 'limiters' }));
    onLoad({ filter: /./, namespace: 'limiters' }, () => ({
      contents: LIMITERS.map((name) => `export { default as ${name} } from './lib/${name}.js';`).join('\n'),
      resolveDir: dirname(fileURLToPath(import.meta.resolve('rate-limiter-flexible'))),
    }));
  },
};

/** What of ours is global in Node, and not in the context in which Jest before 28 loads a suite. */
const GLOBALS = 'globals-of-node';
const NAMES = ['AbortController', 'performance'];
const globalsOfNode = {
  name: GLOBALS,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: new RegExp(`^${GLOBALS}$`) }, () => ({ path: GLOBALS, namespace: GLOBALS }));
    onLoad({ filter: /./, namespace: GLOBALS }, () => ({
      contents: `import { runInThisContext } from 'node:vm';
        export const { ${NAMES.join(', ')} } = runInThisContext('globalThis');`,
      resolveDir: ROOT,
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
  outdir: 'dist',
  logLevel: 'warning',
  plugins: [viewsAsTexts, zodInEnglish, ownLimiters],
};
const entryPoints = ENTRY_POINTS.map((name) => `lib/${name}.ts`);

/**
 * V8 keeps a source that has a single character beyond Latin-1 at two bytes a character, which takes 2.3 MB more of a
 * process. esbuild escapes such characters in code, and leaves them in the comments that it keeps.
 */
function inLatin1(code) {
  return code.replaceAll(/[^\0-\xff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the files that are in it. */
async function buildModules() {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [...entryPoints, 'lib/cli/main.ts'],
    packages: 'external',
    write: false,
    metafile: true,
  });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, inLatin1(text), { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
  return Object.keys(metafile.inputs);
}

/** esbuild splits ESM only, so each file of that is made CommonJS afterwards. Returns the files that are in it. */
async function buildCommonJs() {
  const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    .filter((name) => !NOT_FOR_ALL.includes(name))
    .flatMap((name) => [name, `${name}/*`]);
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints,
    external,
    inject: [GLOBALS],
    plugins: [...options.plugins, globalsOfNode],
    write: false,
    metafile: true,
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: options.target,
      // what is loaded late is required then
      supported: { 'dynamic-import': false },
    });
    writeFileSync(
      path.replace(/\.js$/, '.cjs'),
      inLatin1(code)
        .replaceAll(/require\("(\.[^"]*)\.js"\)/g, 'require("$1.cjs")')
        // old runners of tests, Jest 26 and 27.0 among them, do not know the prefix
        .replaceAll(/"node:([^"]*)"/g, (text, name) => (builtinModules.includes(name) ? `"${name}"` : text)),
    );
  }
  return Object.keys(metafile.inputs);
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

/** The declarations that an entry point leads to, for both formats; the others are nobody's. */
function buildDeclarations() {
  const from = join(ROOT, 'lib');
  const { config } = ts.readConfigFile(join(from, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, from);
  // `npm run check` looks at the types; to look again costs a build 12 s of CPU time more (21 in the place of 9)
  const program = ts.createProgram(fileNames, { ...options, noCheck: true });
  program.emit();
  writePlainOptions(program, { from, to: DIST });
  writeFileSync(join(DIST, 'stand-ins.d.ts'), STAND_INS);
  const reached = new Set();
  const reach = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    const standIns = `${relative(dirname(file), DIST) || '.'}/stand-ins.js`;
    const text = readFileSync(file, 'utf8').replaceAll(STOOD_IN, `$1${standIns}$1`);
    writeFileSync(file, text);
    writeFileSync(
      file.replace(/\.d\.ts$/, '.d.cts'),
      text.replaceAll(/(["']\.{1,2}\/[^"']+)\.js(["'])/g, '$1.cjs$2'),
    );
    for (const [, path] of text.matchAll(/["'](\.{1,2}\/[^"']+)\.js["']/g))
      reach(join(dirname(file), `${path}.d.ts`));
  };
  for (const name of ENTRY_POINTS) reach(join(DIST, `${name}.d.ts`));
  for (const file of readdirSync(DIST, { recursive: true }).map((name) => join(DIST, name)))
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
}

const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const manifest = readJson('package.json');
rmSync(DIST, { recursive: true, force: true });
buildDeclarations();
const bundled = packagesOf((await Promise.all([buildModules(), buildCommonJs()])).flat());
writeLicences(bundled);
writeSbom(bundled);
