import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { checkDevelopers } from '../../lib/cli/doctor/developers.js';
import { runCli } from '../support/cli.js';
import { findingsOf } from '../support/findings.js';

describe('doctor says who may register applications', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'developers-'));
    const dependencies = { 'express-authorization-server': '1' };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ dependencies }));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const checkedWith = async (text: string) => {
    await writeFile(join(folder, 'app.js'), text);
    return (await findingsOf((report) => checkDevelopers(report, folder))).map(
      ({ severity, check }) => `${severity} ${check}`,
    );
  };

  test.each([
    ['nothing is set', 'authorizationServer({ issuer, scopes })'],
    [
      'it is commented out',
      'authorizationServer({ applications: { /* isDeveloper: (req) => req.user.isDeveloper */ } })',
    ],
    ['only users have a field of that name', 'authorizationServer({}); new Schema({ isDeveloper: Boolean })'],
    ['it is as init writes it', 'authorizationServer({ applications: { isDeveloper: () => true } })'],
  ])('a note, if %s', async (_how, text) => {
    expect(await checkedWith(text)).toEqual(['note applications.everybody']);
  });

  test.each([
    [
      'a condition is set',
      'authorizationServer({ applications: { isDeveloper: (req) => req.user.plan === "developer" } })',
    ],
    ['it comes from elsewhere', 'authorizationServer({ applications: { isDeveloper } })'],
    ['the server is not made here', 'app.get("/", home)'],
  ])('nothing, if %s', async (_how, text) => {
    expect(await checkedWith(text)).toEqual([]);
  });

  test('nothing outside the folder of a site', async () => {
    await writeFile(join(folder, 'package.json'), '{}');
    expect(await checkedWith('authorizationServer({})')).toEqual([]);
    await rm(join(folder, 'package.json'));
    expect(await findingsOf((report) => checkDevelopers(report, folder))).toEqual([]);
  });

  test('what init writes has it noted until somebody decides', async () => {
    await runCli(['init'], { cwd: folder });
    expect((await findingsOf((report) => checkDevelopers(report, folder))).length).toBe(1);
  });
});
