/**
 * Refuses to log users in, and to give tokens without consent, outside of tests.
 *
 * @throws Error if `NODE_ENV` is `production`
 */
export function checkForTests(functionName: string): void {
  if (process.env.NODE_ENV === 'production')
    throw new Error(
      `${functionName}: express-authorization-server/testing is for tests, and NODE_ENV is production`,
    );
}
