import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, posix, relative, sep } from 'node:path';

/** The parts of a login that a project already has, found in its source. */
export interface Survey {
  /** The file that has an authorization server of this package already. */
  readonly server: string | undefined;
  /** The file that calls `express()`, relative to the project's folder. */
  readonly app: string | undefined;
  /** Whether that file is written with `import`. */
  readonly importsModules: boolean;
  /** The file that has a session. */
  readonly session: string | undefined;
  /** The file that has a Passport strategy. */
  readonly strategy: string | undefined;
  /** The file that has a strategy with the name that `localLogin` uses. */
  readonly localStrategy: string | undefined;
  /** The file by which the site seems to have users of its own: it makes their tokens, or checks their passwords. */
  readonly people: string | undefined;
  /** Whether it connects Mongoose itself. */
  readonly connects: boolean;
  /**
   * Paths that look like login pages, the most likely one first, below the paths at which their routers are mounted.
   */
  readonly loginPages: readonly string[];
}

const SOURCES = ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.cts', '.mts'];
/** Folders that are not the site: installed packages, builds, tests, and what browsers load. */
const ELSEWHERE = new Set([
  'node_modules',
  'bower_components',
  'dist',
  'build',
  'coverage',
  'public',
  'static',
  'client',
  'frontend',
  'test',
  'tests',
  '__tests__',
]);
const MAX_FILES = 2000;
const MAX_BYTES = 256 * 1024;

const LOGIN_PAGE = /\.(?:get|route|all)\(\s*(['"`])(\/[\w/-]*(?:log|sign)[-_]?in)\/?\1/gi;
/** Packages that APIs without Passport log users in with. */
const PEOPLE =
  /['"](?:jsonwebtoken|express-jwt|bcrypt|bcryptjs|@node-rs\/bcrypt|argon2|@node-rs\/argon2|passport-local-mongoose)['"]/;
/** `app.use('/users', require('./routes/users'))`, or with a name that was required or imported before. */
const MOUNT = /\.use\(\s*(['"`])(\/[\w/-]+)\1\s*,\s*(?:require\(\s*['"`]([^'"`]+)|([\w$]+)\s*\))/g;
const NAMED = /(?:\b(?:const|let|var|import)\s+([\w$]+)\s*(?:=\s*require\(|from)\s*)['"`](\.[^'"`]+)/g;

/** Searches the source of a project for words; nothing is run. `except` is a file to ignore. */
export async function surveyProject(folder: string, except: string): Promise<Survey> {
  const files = await readSources(folder);
  const sources = files.filter(({ name }) => name !== except);
  const nameOf = (pattern: RegExp) => sources.find(({ text }) => pattern.test(text))?.name;
  const mounts = sources.flatMap(mountsOf);
  const loginPages = sources.flatMap(({ name, text }) => {
    const { path: under = '' } = mounts.find(({ file }) => file === withoutEnding(name)) ?? {};
    return [...text.matchAll(LOGIN_PAGE)].map(([, , path]) => `${under}${path!}`);
  });
  const app = nameOf(/\b(?:new\s+)?express\(\s*\)/i);
  return {
    server: sources.find(
      ({ text }) => text.includes('express-authorization-server') && /\bauthorizationServer\(/.test(text),
    )?.name,
    app,
    // by Babel or a bundler, whatever package.json says
    importsModules: /^\s*import\s[^;]*\sfrom\s+['"]/m.test(
      sources.find(({ name }) => name === app)?.text ?? '',
    ),
    session: nameOf(/['"](express-session|cookie-session|client-sessions)['"]/),
    strategy: nameOf(/['"]passport-[\w-]+['"]|\bpassport\.use\(/),
    localStrategy: nameOf(/['"]passport-local(-mongoose)?['"]|\bpassport\.use\(\s*['"]local['"]/),
    people: nameOf(PEOPLE),
    connects:
      nameOf(/\bmongoose\s*\.\s*(connect|createConnection)\(|\bMongooseModule\.forRoot/) !== undefined,
    // the shortest path is the least likely to be an API or a login with Google
    loginPages: [...new Set(loginPages)].sort((a, b) => a.length - b.length),
  };
}

interface Mount {
  readonly path: string;
  /** The file of the router, without its ending. */
  readonly file: string;
}

function mountsOf({ name, text }: SourceFile): Mount[] {
  const names = new Map([...text.matchAll(NAMED)].map(([, given, file]) => [given, file]));
  return [...text.matchAll(MOUNT)].flatMap(([, , path = '', required, given]) => {
    const file = required ?? names.get(given);
    return file === undefined
      ? []
      : [{ path: path.replace(/\/$/, ''), file: withoutEnding(posix.join(posix.dirname(name), file)) }];
  });
}

const withoutEnding = (file: string): string => file.replace(/(\/index)?\.[cm]?[jt]sx?$/, '');

/** A source file of the site, without comments. */
export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** The source of a project: not what is installed, built or tested. */
export async function readSources(folder: string): Promise<SourceFile[]> {
  const sources: SourceFile[] = [];
  for (const path of await findSources(folder)) {
    if ((await stat(path)).size > MAX_BYTES) continue;
    const name = relative(folder, path).split(sep).join('/');
    sources.push({ name, text: withoutComments(await readFile(path, 'utf8')) });
  }
  return sources;
}

/** The files closest to package.json come first. */
async function findSources(folder: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [folder];
  for (let next = waiting.shift(); next !== undefined && found.length < MAX_FILES; next = waiting.shift()) {
    const entries = await entriesOf(next);
    const pathsOf = (isDesired: (entry: Dirent) => boolean) =>
      entries.filter(isDesired).map(({ parentPath, name }) => join(parentPath, name));
    found.push(...pathsOf((entry) => entry.isFile() && SOURCES.includes(extname(entry.name))));
    waiting.push(...pathsOf((entry) => entry.isDirectory() && isOfSite(entry.name)));
  }
  return found.slice(0, MAX_FILES);
}

const isOfSite = (folder: string) => !folder.startsWith('.') && !ELSEWHERE.has(folder);

/** A folder that may not be read counts as empty. */
function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** A string, which may have the signs of a comment in it, or a comment. */
const STRING_OR_COMMENT =
  /(["'])(?:\\.|(?!\1)[^\\\n])*\1|`(?:\\[\s\S]|[^\\`])*`|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** Good enough for searching words: code that is commented out does not run. A `//` in a URL stays. */
function withoutComments(text: string): string {
  return text.replace(STRING_OR_COMMENT, (found) => (found.startsWith('/') ? '' : found));
}
