import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readSources, type SourceFile } from '../init/survey.js';
import type { ReportFinding } from './finding.js';

/** The default of `init`, until the site writes a condition. */
const EVERYBODY = /\bisDeveloper\s*:\s*\(\)\s*=>\s*true\b/;

/** The option in `applications`; a field of users with the same name does not count. */
const OPTION = /application[^]*\bisDeveloper\b/i;

/** Checks who may register applications, in the source of a site; does nothing in other folders. */
export async function checkDevelopers(report: ReportFinding, folder: string) {
  const sources = await readSite(folder);
  if (!sources.some(({ text }) => /\bauthorizationServer\(/.test(text))) return;
  const deciding = sources.filter(({ text }) => OPTION.test(text) && !EVERYBODY.test(text));
  if (deciding.length > 0) return;
  report('note', 'applications.everybody', {
    what: 'every user who can log in may register applications at /oauth/applications',
    why: 'That is the default: no source file in this folder sets applications.isDeveloper to a condition. Whoever registers an application can ask your users for access.',
    cure: 'If only some may, write applications: { isDeveloper: (req) => req.user.isDeveloper }, or whatever tells them apart; if everybody may, leave it.',
  });
}

/** The source of a package that depends on this one; otherwise empty. */
export async function readSite(folder: string): Promise<SourceFile[]> {
  try {
    const manifest = await readFile(join(folder, 'package.json'), 'utf8');
    const { dependencies } = JSON.parse(manifest) as { dependencies?: object };
    if (!('express-authorization-server' in { ...dependencies })) return [];
  } catch {
    return [];
  }
  return readSources(folder);
}
