import type * as Jose from 'jose';

let loading: Promise<typeof Jose> | undefined;

/**
 * All of jose, loaded when the first JWT is signed or verified: a site without JWTs does not wait for it when it
 * starts.
 */
export function loadJose(): Promise<typeof Jose> {
  return (loading ??= import('jose'));
}
