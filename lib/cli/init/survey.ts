import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, posix, relative, sep } from 'node:path';

/** The findings in a project's source. */
export type Survey = Awaited<ReturnType<typeof surveyProject>>;

const SOURCES = ['.js', '.cjs', '.mjs', '.jsx', '.ts', '.cts', '.mts'];
/** Ignored folders: hidden ones, installed packages, builds, tests, and browser files. */
const ELSEWHERE =
  /^(\..*|node_modules|bower_components|dist|build|coverage|public|static|client|frontend|tests?|__tests__)$/;
const MAX_FILES = 2000;
const MAX_BYTES = 256 * 1024;

/** Configuration of a tool, not source of a site. */
const TOOL = /(^|\/)[\w.-]+\.(config|conf)\.\w+$/;
const LOGIN = String.raw`(?:log|sign)[-_]?in`;
const LOGIN_PATH = new RegExp(String.raw`\.(?:get|route|all)\(\s*(['"\`])(\/[\w/-]*${LOGIN})\/?\1`, 'gi');
/** `router.get('/', … res.render('login'))` */
const LOGIN_VIEW = new RegExp(
  String.raw`\.get\(\s*(['"\`])(\/[\w/-]*)\1(?:(?!\.(?:get|post|put|delete|use|all|route)\()[^])*?\brender\(\s*['"\`][\w./-]*${LOGIN}`,
  'gi',
);
/** Only GET, because a link leads to the page. */
const LOGOUT_PATH = /\.get\(\s*(['"`])(\/[\w/-]*(?:log|sign)[-_]?out)\/?\1/gi;
/** Packages with which APIs without Passport log users in. */
const PEOPLE =
  /['"](?:jsonwebtoken|jose|express-jwt|bcrypt|bcryptjs|bcrypt-nodejs|@node-rs\/bcrypt|argon2|@node-rs\/argon2|passport-local-mongoose)['"]/;
/** A model with a password: `new Schema({ password: … })`, or a class with decorators. */
const PASSWORD_FIELD =
  /\b(?:password|passwordHash|hashedPassword|hashed_password|password_hash)['"]?\s*[?!]?\s*:/;
const SCHEMA = /\bSchema\s*(?:<[^>]*>)?\(|\bgetModelForClass\(/;
const URI_VARIABLE =
  /\benv\s*(?:\.\s*|\[\s*['"])((?:MONGO|DATABASE|DB)\w*(?:UR[IL]|CONN|STRING)\w*|MONGO(?:DB)?)\b|\{[^{}]*\b(MONGO\w*UR[IL])\b[^{}]*\}\s*=\s*process\.env/;
/** `process.env.PORT || 5000`, `PORT = 5000`, `listen(5000)` */
const PORT = /\b(?:PORT['"\]]*\s*(?:\|\||\?\?|=(?!=))\s*|\.listen\(\s*)['"]?(\d{2,5})\b/;
/** `app.use('/users', require('./routes/users'))`, or with a variable that was required or imported. */
const MOUNT = /\.use\(\s*(['"`])(\/[\w/-]*)\1\s*,\s*(?:require\(\s*['"`]([^'"`]+)|([\w$]+)\s*\))/g;
const NAMED = /(?:\b(?:const|let|var|import)\s+([\w$]+)\s*(?:=\s*require\(|from)\s*)['"`](\.[^'"`]+)/g;
/** Up to three levels of parentheses, as in a chain of calls: `.plugin(…)`. */
const ARGUMENTS = String.raw`\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)`;

/** Searches the source of a project, without running it. `except` is a file to ignore. */
export async function surveyProject(folder: string, except: string) {
  const files = await readSources(folder);
  const sources = files.filter(({ name }) => name !== except);
  const find = (matches: (source: SourceFile) => boolean) => sources.find(matches)?.name;
  const findText = (pattern: RegExp) => find(({ text }) => pattern.test(text));
  const app = find(({ text }) =>
    new RegExp(String.raw`(?:${namesPattern(text, 'express')})\s*\(`).test(text),
  );
  const connects = sources.some(({ text }) => callPattern(text, 'connect').test(text));
  return {
    /** Whether there is any source. */
    hasSource: sources.some(({ name, text }) => !TOOL.test(name) && text.trim() !== ''),
    /** The file that already has an authorization server of this package. */
    server: find(
      ({ text }) => text.includes('express-authorization-server') && /\bauthorizationServer\(/.test(text),
    ),
    /** The file that calls `express()`. */
    app,
    // for Babel or a bundler, whatever package.json says
    importsModules: /^\s*import\s[^;]*\sfrom\s+['"]/m.test(
      sources.find(({ name }) => name === app)?.text ?? '',
    ),
    session: findText(/['"](express-session|cookie-session|client-sessions)['"]/),
    strategy: find(
      ({ text }) =>
        /['"]passport-[\w-]+['"]/.test(text) ||
        new RegExp(String.raw`(?:${namesPattern(text, 'passport')})\s*\.use\(`).test(text),
    ),
    /** The file with a strategy of the name that `localLogin` uses. */
    localStrategy: find(
      ({ text }) =>
        /['"]passport-local(-mongoose)?['"]/.test(text) ||
        new RegExp(String.raw`(?:${namesPattern(text, 'passport')})\s*\.use\(\s*['"]local['"]`).test(text),
    ),
    /** The file with a logout without a callback, which Passport requires since 0.6. */
    bareLogout: findText(/\breq\.log[oO]ut\(\s*\)/),
    /** The model with a password, or the file that issues users' tokens or checks their passwords. */
    people: find(({ text }) => SCHEMA.test(text) && PASSWORD_FIELD.test(text)) ?? findText(PEOPLE),
    /** Whether the site opens Mongoose's default connection; otherwise `connection` is its own. */
    connects,
    connection: connects
      ? undefined
      : sources.map(findCreated).find((connection) => connection !== undefined),
    /** The default port of the site. */
    port: sources.map(({ text }) => PORT.exec(text)?.[1]).find((port) => port !== undefined) ?? '3000',
    /** The environment variable with the URI of the database. */
    uriVariable: sources
      .map(({ text }) => URI_VARIABLE.exec(text))
      .flatMap((match) => match?.[1] ?? match?.[2] ?? [])[0],
    /** Paths of login pages, the most likely first. */
    loginPages: findPages(sources, [LOGIN_PATH, LOGIN_VIEW]),
    /** The path of a logout page, not of an API. */
    logoutPage: findPages(sources, [LOGOUT_PATH]).find((path) => !path.startsWith('/api/')),
  };
}

/** An alternation of the names of a package's default export in a file, including the common name. */
function namesPattern(text: string, name: string): string {
  const from = String.raw`['"]${name}['"]`;
  const imported = text.matchAll(
    new RegExp(String.raw`\bimport\s+(?:\*\s*as\s+)?([\w$]+)(?:\s*,\s*\{[^}]*\})?\s+from\s+${from}`, 'g'),
  );
  const required = text.matchAll(new RegExp(String.raw`([\w$]+)\s*=\s*require\(\s*${from}\s*\)`, 'g'));
  const names = [...imported, ...required].map(([, alias = '']) => alias.replaceAll('$', String.raw`\$`));
  return [
    ...[...new Set([name, ...names])].map((alias) => String.raw`(?<![\w$.'"/-])${alias}`),
    String.raw`require\(\s*${from}\s*\)`,
  ].join('|');
}

/** A call of a function of Mongoose, by any local name of Mongoose or the function, also in a chain. */
function callPattern(text: string, method: 'connect' | 'createConnection'): RegExp {
  const imported = [...text.matchAll(/\{([^{}]*)\}\s*(?:from\s+|=\s*require\(\s*)['"]mongoose['"]/g)].flatMap(
    ([, names = '']) => {
      const [whole, alias] =
        new RegExp(String.raw`\b${method}\b(?:\s*(?:as\s|:)\s*([\w$]+))?`).exec(names) ?? [];
      return whole === undefined ? [] : [String.raw`(?<![\w$.])${alias ?? method}`];
    },
  );
  const chained = String.raw`(?:${namesPattern(text, 'mongoose')})(?:\s*\.\s*\w+\s*${ARGUMENTS})*\s*\.\s*${method}`;
  return new RegExp(String.raw`(?:${[chained, ...imported].join('|')})\s*\(`);
}

/** The connection that a site makes by `createConnection()`, and its exported name. */
function findCreated({ name: file, text }: SourceFile) {
  const call = callPattern(text, 'createConnection').source;
  if (!new RegExp(call).test(text)) return undefined;
  const [, name = 'connection'] =
    new RegExp(String.raw`\b(?:const|let|var)\s+([\w$]+)[^=;,(){}]*=\s*(?:await\s+)?${call}`).exec(text) ??
    [];
  const isDefaultExport = new RegExp(
    String.raw`\bexport\s+default\s+(?:${name}\b|${call})|module\.exports\s*=\s*(?:${name}\s*(?:;|$)|(?:await\s+)?${call})`,
    'm',
  ).test(text);
  const isNamedExport = new RegExp(
    String.raw`\bexport\s+(?:const|let|var)\s+${name}\b|\bexports\.${name}\s*=|(?:export|module\.exports\s*=)\s*\{[^}]*\b${name}\b`,
  ).test(text);
  return { file, name, isDefaultExport, isExported: isDefaultExport || isNamedExport };
}

function findPages(sources: readonly SourceFile[], patterns: readonly RegExp[]): string[] {
  // the path at which a file mounts another file's router; file names here have no extension
  const mounts = sources.flatMap(({ name: by, text }) => {
    const names = new Map([...text.matchAll(NAMED)].map(([, variable, file]) => [variable, file]));
    return [...text.matchAll(MOUNT)].flatMap(([, , path = '', required, variable]) => {
      const router = required ?? names.get(variable);
      if (router === undefined) return [];
      const file = withoutEnding(posix.join(posix.dirname(by), router));
      return [{ by, file, path: path.replace(/\/$/, '') }];
    });
  });
  /** The path of a router, which another router may mount. */
  const pathOf = (file: string, seen: readonly string[] = []): string => {
    const mount = mounts.find((candidate) => candidate.file === withoutEnding(file));
    if (mount === undefined || seen.includes(file)) return '';
    return pathOf(mount.by, [...seen, file]) + mount.path;
  };
  const pages = sources.flatMap(({ name, text }) =>
    patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, , path = '']) => (pathOf(name) + path).replace(/(.)\/$/, '$1')),
    ),
  );
  // the shortest path is the least likely to be an API or a login with Google
  return [...new Set(pages)].sort((a, b) => a.length - b.length);
}

const withoutEnding = (file: string): string => file.replace(/(\/index)?\.[cm]?[jt]sx?$/, '');

/** A source file of the site, without comments. */
export interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** A string, which may look like a comment, or a comment. */
const STRING_OR_COMMENT =
  /(["'])(?:\\.|(?!\1)[^\\\n])*\1|`(?:\\[\s\S]|[^\\`])*`|\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** The source of a project without installed, built and test files; the files closest to package.json come first. */
export async function readSources(folder: string): Promise<SourceFile[]> {
  const paths: string[] = [];
  const waiting = [folder];
  for (let next = waiting.shift(); next !== undefined && paths.length < MAX_FILES; next = waiting.shift()) {
    // an unreadable folder counts as empty
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && SOURCES.includes(extname(entry.name))) paths.push(path);
      if (entry.isDirectory() && !ELSEWHERE.test(entry.name)) waiting.push(path);
    }
  }
  const sources: SourceFile[] = [];
  for (const path of paths.slice(0, MAX_FILES)) {
    if ((await stat(path)).size > MAX_BYTES) continue;
    const name = relative(folder, path).split(sep).join('/');
    // removes commented-out code; a `//` in a URL stays
    const text = (await readFile(path, 'utf8')).replace(STRING_OR_COMMENT, (match) =>
      match.startsWith('/') ? '' : match,
    );
    sources.push({ name, text });
  }
  return sources;
}
