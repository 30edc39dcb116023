import { createRequire } from 'node:module';

/** The version of this package, found by its name, because the build may put this file anywhere. */
export function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('express-authorization-server/package.json') as {
    readonly version: string;
  };
  return version;
}
