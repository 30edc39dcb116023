import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import request from 'supertest';
import ts from 'typescript';

import { assemble } from '../../lib/authorization-server.js';
import { BUILT_IN, type BuiltIn } from '../../lib/features.js';
import type { Feature } from '../../lib/server/server.js';
import { lazy } from '../../lib/shared/lazy.js';
import { openDatabase } from '../support/database.js';
import { codeQuery, locationOf, logInPerson } from '../support/person.js';
import { openSite } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import {
  callApi,
  clientRequest,
  createPkce,
  introspectAs,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../support/tokens.js';
import { withoutLines } from '../support/without-lines.mjs';

const LIB = fileURLToPath(new URL('../../lib/', import.meta.url));
/** The importers of a feature: the lists, the composition roots, the exported types, and its command of the CLI. */
const MAY_NAME = [
  'features.ts',
  'authorization-server.ts',
  'guard.ts',
  'index.ts',
  join('cli', 'webhooks.ts'),
  join('cli', 'access-tokens.ts'),
];

const FEATURES = join(LIB, 'features.ts');
const written = readFileSync(FEATURES, 'utf8');
/** The constants of `const features = […]`, each in a line. */
const lines = withoutLines(written).lines;

/** What the compiler says of lib/ with these texts in the place of files or beside them, by the path of the file. */
function typeCheck(texts: ReadonlyMap<string, string>): readonly string[] {
  const { config } = ts.readConfigFile(join(LIB, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, LIB);
  const host = ts.createCompilerHost(options);
  host.readFile = (file) => texts.get(file) ?? ts.sys.readFile(file);
  const program = ts.createProgram([...new Set([...fileNames, ...texts.keys()])], options, host);
  return [...program.getSyntacticDiagnostics(), ...program.getSemanticDiagnostics()].map(
    ({ file, messageText }) =>
      `${relative(LIB, file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

describe('lib/ type-checks', () => {
  // One program: each text of features.ts is a file of its own beside the others, which see the text without any line.
  // All that they see of the lines is a union of the names of grant types, which is the smallest then.
  const fileOf = (name: string) => `features-without-${name}.ts`;
  const texts = new Map(lines.map((name) => [join(LIB, fileOf(name)), withoutLines(written, [name]).text]));
  texts.set(FEATURES, withoutLines(written).text);
  const problems = lazy(() => typeCheck(texts));

  test.each(lines)('without the line %s of features.ts', (name) => {
    const left = withoutLines(texts.get(join(LIB, fileOf(name))) ?? '').lines;
    expect(left).toEqual(lines.filter((line) => line !== name));
    expect(problems().filter((line) => line.startsWith(`${fileOf(name)}:`))).toEqual([]);
  });

  test('without any of these lines, which name all features', () => {
    expect(lines).toHaveLength(BUILT_IN.features.length);
    expect(problems()).toEqual([]);
  });
});

describe('without a feature clients get tokens and users manage them', () => {
  const database = fixture(() => openDatabase());
  const features: readonly Feature[] = BUILT_IN.features;

  test.each([
    ...features.map(({ name }) => [name, features.filter((feature) => feature.name !== name)] as const),
    ['any feature', []] as const,
  ])('clients get tokens and users manage them without %s', async (_name, rest) => {
    await using site = await openSite({ database, builtIn: { ...BUILT_IN, features: rest } });
    const client = await site.client({ introspection: true });
    const person = await logInPerson(site);
    const { code_verifier, challenge } = createPkce();
    const page = await person.openAuthorize(codeQuery(client, challenge));
    expect(page.text).toContain('See your photos');
    const code = locationOf(await person.choose(page)).searchParams.get('code') ?? '';
    const { body: tokens } = await redeem(site, client, code, { code_verifier }).expect(200);
    expect((await callApi(site, tokens.access_token as string)).body).toMatchObject({ userId: 'ada' });
    const { body: refreshed } = await refreshTokens(site, client, tokens.refresh_token as string).expect(200);
    expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
    const { access_token: token } = refreshed as { access_token: string };
    expect(await introspectAs(site, client, token)).toMatchObject({ active: true, sub: 'ada' });
    expect((await person.agent.get('/oauth/authorizations').expect(200)).text).toContain('Printing shop');

    await clientRequest(site, client, '/oauth/revoke', { token: refreshed.refresh_token }).expect(200);
    expect(await introspectAs(site, client, token)).toEqual({ active: false });
    expect((await callApi(site, token)).status).toBe(401);
    const { body: own } = await tokenRequest(site, client, { grant_type: 'client_credentials' }).expect(200);
    expect((await callApi(site, own.access_token as string)).body).toMatchObject({
      clientId: client.clientId,
    });
    const { body: metadata } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(metadata).toMatchObject({ issuer: site.url, revocation_endpoint: `${site.url}/oauth/revoke` });
  });
});

describe('the options without a feature', () => {
  const site = { issuer: 'https://photos.example', scopes: {}, login: '/login' };
  const connection = mongoose.createConnection();
  const start = (features: BuiltIn['features'], option: object) =>
    assemble({ ...site, connection, ...option }, { ...BUILT_IN, features });
  const optionsOfFeatures = BUILT_IN.features.flatMap(({ options = {} }: Feature) => Object.keys(options));

  test.each([...new Set(optionsOfFeatures)])('without its feature option %s is unknown', (option) => {
    const others = BUILT_IN.features.filter(({ options = {} }: Feature) => !(option in options));
    expect(others.length).toBeLessThan(BUILT_IN.features.length);
    expect(() => start(others, {})).not.toThrow();
    expect(() => start(others, { [option]: true })).toThrow(`unknown option '${option}'`);
  });
});

test('no file outside a feature imports from it, except the lists and the composition roots', () => {
  const files = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const featureOf = (file: string) => /^features[\\/]([^\\/]+)[\\/]/.exec(file)?.[1];
  const intruders = files.flatMap((file) =>
    [...readFileSync(join(LIB, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
      .map(([, path = '']) => relative(LIB, join(LIB, dirname(file), path)))
      .filter((target) => featureOf(target) !== undefined && featureOf(target) !== featureOf(file))
      .map((target) => `${file} → ${target}`.replaceAll(sep, '/')),
  );
  expect(intruders.filter((line) => !MAY_NAME.some((name) => line.startsWith(`${name} `)))).toEqual([]);
});
