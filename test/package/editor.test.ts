import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FILE = `${root}test/package/strict-flags/editor.mts`;

/** The code of a host; each `|` is a place where the test asks the editor. */
const SCREEN = `
import mongoose from 'mongoose';
import { authorizationServer } from 'express-authorization-server';
import { bearerGuard } from 'express-authorization-server/guard';
import { actingAs } from 'express-authorization-server/testing';
const oauth = authorizationServer({
  issuer: 'https://photos.example',
  connection: mongoose.connection,
  scopes: { 'photos:read': 'See your photos', 'photos:write': { description: 'Add photos' } },
  login: '/login',
  |siteName: 'Photos',
  |lifetimes: { |accessToken: 600 },
  |security: { |rateLimits: { |token: 5 } },
  |dpop: { |required: true },
});
oauth.guard('|');
oauth.guard({ scopes: ['|'] });
void oauth.verify('token', { scopes: ['|'] });
void oauth.clients.create({ name: 'Shop', scopes: ['|'], |jwksUri: 'https://shop.example/', |dpopBoundAccessTokens: true });
void actingAs(oauth, 'ada', ['|']);
void oauth.clients.update('id', { scopes: ['|'] });
void oauth.grants.create({ clientId: 'id', scopes: ['|'] });
void oauth.personalAccessTokens.create({ userId: 'ada', name: 'Backup', scopes: ['|'] });
void oauth.personalAccessTokens.narrow('id', ['|']);
oauth.mcp({ handle: () => undefined, scopes: ['|'] });
void oauth.grants.revoke({ scope: '|' });
oauth.mcp({ handle: () => undefined, tools: { look: ['|'] } });
oauth.guard.mcp({ handle: () => undefined, tools: { look: { scopes: ['|'] } } });
oauth.mcp.requireBearerAuth({ requiredScopes: ['|'] });
bearerGuard({ issuer: 'https://photos.example', scopes: ['albums:read', 'albums:write'] })('|');
const anyText: string = '';
oauth.guard(anyText);
void actingAs(oauth, 'ada', [anyText]);
`;

const text = SCREEN.replaceAll('|', '');
const places = SCREEN.split('|')
  .slice(0, -1)
  .map((_part, index, parts) => parts.slice(0, index + 1).join('').length);
let service: ts.LanguageService;

beforeAll(() => {
  if (!existsSync(`${root}dist/index.d.cts`)) throw new Error('dist is missing: npm run build');
  const { config } = ts.readConfigFile(`${root}test/package/strict-flags/tsconfig.json`, (file) =>
    ts.sys.readFile(file),
  );
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, `${root}test/package/strict-flags`);
  const read = (file: string) => (file === FILE ? text : ts.sys.readFile(file));
  service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, noUnusedLocals: false }),
    getScriptFileNames: () => [FILE],
    getScriptVersion: () => '1',
    getScriptSnapshot(file) {
      const content = read(file);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (file) => file === FILE || ts.sys.fileExists(file),
    readFile: read,
    readDirectory: (...search) => ts.sys.readDirectory(...search),
    directoryExists: (folder) => ts.sys.directoryExists(folder),
    getDirectories: (folder) => ts.sys.getDirectories(folder),
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
  });
});

test('the code of a host has no error, and the compiler accepts any text as a scope', () => {
  const found = [...service.getSyntacticDiagnostics(FILE), ...service.getSemanticDiagnostics(FILE)];
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});

describe('a hover on an option', () => {
  test.each([
    ['siteName', ['string'], 'What the pages call this site'],
    ['lifetimes', ['LifetimeOptions'], 'Seconds that codes and tokens last'],
    ['accessToken', ['number'], 'Seconds that an access token is valid'],
    ['security', ['SecurityOptions'], 'What is demanded of clients'],
    ['rateLimits', ['false', 'RateLimitOptions'], 'How often a caller may fail'],
    ['token', ['number'], 'Failed client authentications'],
    ['dpop', ['boolean', 'DpopOptions'], 'Lets clients bind their tokens'],
    ['required', ['boolean'], 'Whether all clients get only bound tokens'],
  ])('a hover on the option %s shows its type and its meaning', (name, types, meaning) => {
    const place = places.find((start) => text.startsWith(`${name}:`, start));
    const info = service.getQuickInfoAtPosition(FILE, place ?? -1);
    const displayed = ts.displayPartsToString(info?.displayParts);
    const [, owner, type = ''] = /^\(property\) (\w+)\.\w+\?: (.*)$/s.exec(displayed) ?? [displayed];
    expect([owner, type.split(' | ').sort()]).toEqual([
      expect.stringMatching(/Options$/),
      [...types, 'undefined'].sort(),
    ]);
    expect(ts.displayPartsToString(info?.documentation)).toContain(meaning);
  });
});

describe('a hover on a client field, whose type comes from its row', () => {
  test.each([
    ['jwksUri', 'string', "The URL of the client's public keys"],
    ['dpopBoundAccessTokens', 'boolean', 'Each of its tokens is bound to a key of its own'],
  ])('a hover on the client field %s shows its type and its meaning', (name, type, meaning) => {
    const place = places.find((start) => text.startsWith(`${name}:`, start));
    const info = service.getQuickInfoAtPosition(FILE, place ?? -1);
    expect(ts.displayPartsToString(info?.displayParts)).toContain(`${name}?: ${type} | undefined`);
    expect(ts.displayPartsToString(info?.documentation)).toContain(meaning);
  });
});

describe('the completion of scopes', () => {
  const strings = places.filter((start) => text[start] === "'");
  test.each(
    [
      ['in guard', ['photos:read', 'photos:write']],
      ['in the options of guard', ['photos:read', 'photos:write']],
      ['in verify', ['photos:read', 'photos:write']],
      ['in clients.create', ['photos:read', 'photos:write']],
      ['in actingAs', ['photos:read', 'photos:write']],
      ['in clients.update', ['photos:read', 'photos:write']],
      ['in grants.create', ['photos:read', 'photos:write']],
      ['in personalAccessTokens.create', ['photos:read', 'photos:write']],
      ['in personalAccessTokens.narrow', ['photos:read', 'photos:write']],
      ['in mcp', ['photos:read', 'photos:write']],
      ['in grants.revoke', ['photos:read', 'photos:write']],
      ['in a tool of mcp', ['photos:read', 'photos:write']],
      ['in the options of a tool of mcp', ['photos:read', 'photos:write']],
      ['in requireBearerAuth', ['photos:read', 'photos:write']],
      ['in the guard of another process', ['albums:read', 'albums:write']],
    ].map(([what, names], index) => [what, names, index] as const),
  )('the editor completes the scopes of the server %s', (_what, names, index) => {
    const found = service.getCompletionsAtPosition(FILE, strings[index] ?? -1, undefined);
    expect(found?.entries.map(({ name }) => name).filter((name) => name.includes(':'))).toEqual(names);
  });
});

test('no declaration that a host sees derives options from rows', () => {
  const files = readdirSync(`${root}dist`).filter((name) => name.endsWith('.d.cts'));
  const declared = files.map((file) => readFileSync(`${root}dist/${file}`, 'utf8')).join('\n');
  expect(declared).toMatch(/interface ServerOptions \{/);
  expect(declared).not.toMatch(/type \w+ = OptionsOf/);
});
