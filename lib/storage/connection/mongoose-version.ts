import type { Connection } from 'mongoose';

/** The oldest version that is tested: major and minor. */
const OLDEST = [6, 13] as const;

/**
 * @throws TypeError if the Mongoose of a connection is older than promised; otherwise operations would fail later, one
 * by one
 */
export function checkMongooseVersion({ base }: Connection): void {
  const version = (base as { readonly version?: string } | undefined)?.version ?? 'before 5';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new TypeError(
    `express-authorization-server: Mongoose ${version} is too old; it must be ${OLDEST.join('.')} or newer: npm install mongoose@${OLDEST[0]}`,
  );
}
