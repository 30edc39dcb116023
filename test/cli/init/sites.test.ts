import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { surveyProject } from '../../../lib/cli/init/survey.js';
import { runCli } from '../../support/cli.js';
import { openFolder } from '../../support/folder.js';
import { SITES } from './sites.js';

describe('init in projects like public sites', () => {
  test.each(Object.entries(SITES))('init knows %s', async (_name, site) => {
    const { manifest = {}, files, survey, args = [], refuses, writes = [], prints = [], notes = [] } = site;
    await using folder = await openFolder({ 'package.json': JSON.stringify(manifest), ...files });
    expect(await surveyProject(folder.path, 'oauth.js')).toMatchObject(survey);
    const { code, stdout, stderr } = await runCli(['init', ...args], { cwd: folder.path });
    const file = ['oauth.js', 'oauth.ts', 'src/oauth.ts', 'src/oauth.js']
      .map((name) => join(folder.path, name))
      .find(existsSync);
    for (const line of notes) expect(stderr).toContain(line);
    if (refuses !== undefined) {
      expect({ file, code, stderr }).toEqual({
        file: undefined,
        code: refuses.startsWith('this site') || refuses.startsWith('perhaps') ? 2 : expect.any(Number),
        stderr: expect.stringContaining(refuses),
      });
      return;
    }
    expect({ code, hasNotes: stderr !== '' }).toEqual({ code: 0, hasNotes: notes.length > 0 });
    const text = await readFile(file!, 'utf8');
    for (const line of writes) expect(text).toContain(line);
    for (const line of prints) expect(stdout).toContain(line);
    // a second connection would fail, or lead to another database
    if (survey.connects === true || survey.connection !== undefined)
      expect(text).not.toMatch(/connect\(|mongoUrl/);
    // other files guard their routes
    expect(text).toMatch(/export const oauth\b|module\.exports = \{[^}]*\boauth\b/);
    // two sessions on one request: the second is ignored
    if (survey.session !== undefined) expect(text).not.toContain('express-session');
  });
});
