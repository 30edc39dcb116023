import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { ReportFinding } from './finding.js';

/** The path and the version of a package, resolved from a file; undefined if not installed. */
export function findPackage(name: string, from: string) {
  try {
    const path = createRequire(from).resolve(`${name}/package.json`);
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
    return { path, version };
  } catch {
    return undefined;
  }
}

/** Checks whether the site in this folder and its copy of this package use two copies of Mongoose. */
export function checkMongooseSetup(report: ReportFinding, folder: string): void {
  const site = join(folder, 'package.json');
  const packageHere = findPackage('express-authorization-server', site);
  const [ofSite, ofPackage] = [
    findPackage('mongoose', site),
    packageHere && findPackage('mongoose', packageHere.path),
  ];
  if (ofSite === undefined || ofPackage === undefined || ofSite.path === ofPackage.path) return;
  const describe = ({ path, version }: typeof ofSite) => `${version} in ${dirname(path)}`;
  report('warning', 'mongoose.copies', {
    what: `there are two copies of Mongoose: ${describe(ofSite)}, and ${describe(ofPackage)}`,
    why: 'What is set, plugged in or connected in one is unknown to the other: a connection that nobody opens answers nothing.',
    cure: 'npm ls mongoose shows who brings it; npm dedupe, or the same range in every package.json. A linked folder (npm link) brings its own.',
  });
}
