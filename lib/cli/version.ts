import { createRequire } from 'node:module';

/** Of this package, by its own name: wherever the build has put this file. */
export function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('express-authorization-server/package.json') as {
    readonly version: string;
  };
  return version;
}
