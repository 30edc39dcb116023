import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { checkDevelopers } from '../../lib/cli/doctor/developers.js';
import { runCli } from '../support/cli.js';
import { findingsOf } from '../support/findings.js';
import { type Folder, openFolder } from '../support/folder.js';

describe('doctor on who may register applications', () => {
  let folder: Folder;
  const dependencies = { 'express-authorization-server': '1' };
  const manifest = JSON.stringify({ dependencies });
  beforeEach(async () => void (folder = await openFolder({ 'package.json': manifest })));
  afterEach(() => folder.close());

  const checkedWith = async (text: string) => {
    await folder.write('app.js', text);
    return (await findingsOf((report) => checkDevelopers(report, folder.path))).map(
      ({ severity, check }) => `${severity} ${check}`,
    );
  };

  test.each([
    ['nothing is set', 'authorizationServer({ issuer, scopes })'],
    [
      'isDeveloper is commented out',
      'authorizationServer({ applications: { /* isDeveloper: (req) => req.user.isDeveloper */ } })',
    ],
    ['only users have such a field', 'authorizationServer({}); new Schema({ isDeveloper: Boolean })'],
    ['isDeveloper is that of init', 'authorizationServer({ applications: { isDeveloper: () => true } })'],
  ])('doctor notes that everybody may register applications if %s', async (_how, text) => {
    expect(await checkedWith(text)).toEqual(['note applications.everybody']);
  });

  test.each([
    [
      'a condition is set',
      'authorizationServer({ applications: { isDeveloper: (req) => req.user.plan === "developer" } })',
    ],
    ['the rule is imported', 'authorizationServer({ applications: { isDeveloper } })'],
    ['another file makes the server', 'app.get("/", home)'],
  ])('doctor says nothing about developers if %s', async (_how, text) => {
    expect(await checkedWith(text)).toEqual([]);
  });

  test('doctor says nothing about developers outside the folder of a site', async () => {
    await folder.write('package.json', '{}');
    expect(await checkedWith('authorizationServer({})')).toEqual([]);
    await rm(join(folder.path, 'package.json'));
    expect(await findingsOf((report) => checkDevelopers(report, folder.path))).toEqual([]);
  });

  test('doctor notes the developers of a file by init until they are limited', async () => {
    await runCli(['init'], { cwd: folder.path });
    expect((await findingsOf((report) => checkDevelopers(report, folder.path))).length).toBe(1);
  });
});
