/**
 * Allows the functions of this package for tests, which log users in and give tokens without consent, only outside of
 * production.
 *
 * @throws Error if `NODE_ENV` is `production`
 */
export function checkForTests(functionName: string): void {
  if (process.env.NODE_ENV === 'production')
    throw new Error(
      `${functionName}: express-authorization-server/testing is for tests, and NODE_ENV is production`,
    );
}
