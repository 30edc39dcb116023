import { createRequire } from 'node:module';
import { join } from 'node:path';

import { findPackage } from '../doctor/mongoose.js';

/** An installed peer of this package that is older than the oldest supported version. */
export type Upgrade = ReturnType<typeof findUpgrades>[number];

/** The versions to upgrade to: those with the fewest changes, unless unsafe, as Passport before 0.6 is. */
const TARGETS = {
  express: { to: '4', changes: 'the guide is https://expressjs.com/en/guide/migrating-4.html' },
  'express-session': { to: '1', changes: 'your code stays as it is' },
  mongoose: {
    to: '6',
    changes:
      'callbacks still work, but connect() refuses useCreateIndex and useFindAndModify; the guide is https://mongoosejs.com/docs/migrating_to_6.html',
  },
  passport: {
    to: '0.7',
    changes: 'req.logout() needs a callback, such as req.logout(next), and each login begins a new session',
  },
};

/** A version, or a range of one version: `5.13.2`, `5.x`, `~5.1`, `^5.13.2`. */
const VERSION = /^([~^]?)v?(\d+(?:\.\d+){0,2})(?:\.[x*])*(?:-.*)?$/;

/**
 * The peers that npm would refuse as too old, with ERESOLVE.
 *
 * @param ranges those of package.json
 * @returns each with the range or version in the project, and the version to install, in npm's syntax
 */
export function findUpgrades(folder: string, ranges: Readonly<Record<string, string>>) {
  const { peerDependencies } = createRequire(import.meta.url)(
    'express-authorization-server/package.json',
  ) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  return Object.entries(TARGETS).flatMap(([name, target]) => {
    const range = ranges[name];
    if (range === undefined) return [];
    // for a range that only npm can parse, the installed version
    const from = VERSION.test(range) ? range : findPackage(name, join(folder, 'package.json'))?.version;
    if (from === undefined) return [];
    const [, sign = '', version = ''] = VERSION.exec(from) ?? [];
    // the numbers that the range fixes: `^` the first if it is not 0, `~` two
    const fixed = sign === '' ? 3 : sign === '^' && !version.startsWith('0') ? 1 : 2;
    const numbers = version.split('.').slice(0, fixed).map(Number);
    const [oldestText = ''] = /\d[\d.]*/.exec(peerDependencies[name] ?? '') ?? [];
    const oldest = oldestText.split('.').map(Number);
    const place = numbers.findIndex((number, index) => number !== oldest[index]);
    return place !== -1 && Number(numbers[place]) < Number(oldest[place]) ? [{ name, from, ...target }] : [];
  });
}
