import type * as Jose from 'jose';

let loading: Promise<typeof Jose> | undefined;

/**
 * jose, whole, when the first JWT is signed or verified: a site without JWTs starts without the time that it
 * takes to load.
 */
export function loadJose(): Promise<typeof Jose> {
  return (loading ??= import('jose'));
}
