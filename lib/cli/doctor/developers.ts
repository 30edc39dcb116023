import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readSources } from '../init/survey.js';
import { type Finding, finding } from './finding.js';

/** As `init` writes it, until the site writes a condition. */
const EVERYBODY = /\bisDeveloper\s*:\s*\(\)\s*=>\s*true\b/;

/** The option of `applications`; users may have a field of the same name, which decides nothing. */
const OPTION = /application[^]*\bisDeveloper\b/i;

/** Who may register applications, as the source in the folder of a site says it; nothing elsewhere. */
export async function checkDevelopers(folder: string): Promise<Finding[]> {
  if (!(await isFolderOfSite(folder))) return [];
  const sources = await readSources(folder);
  if (!sources.some(({ text }) => /\bauthorizationServer\(/.test(text))) return [];
  const deciding = sources.filter(({ text }) => OPTION.test(text) && !EVERYBODY.test(text));
  if (deciding.length > 0) return [];
  return [
    finding('note', 'applications.everybody', {
      what: 'every user who can log in may register applications at /oauth/applications',
      why: 'That is the default: no source file in this folder sets applications.isDeveloper to a condition. Whoever registers an application can ask your users for access.',
      cure: 'If only some may, write applications: { isDeveloper: (req) => req.user.isDeveloper }, or whatever tells them apart; if everybody may, leave it.',
    }),
  ];
}

/** Whether a package is installed there that is a site with this server. */
export async function isFolderOfSite(folder: string): Promise<boolean> {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return false;
  try {
    const { dependencies } = JSON.parse(await readFile(manifest, 'utf8')) as { dependencies?: object };
    return 'express-authorization-server' in { ...dependencies };
  } catch {
    return false;
  }
}
