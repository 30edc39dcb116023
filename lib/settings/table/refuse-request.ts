/**
 * `app.use('/mcp', oauth.mcp)` instead of `oauth.mcp({ … })`: Express takes any function for a handler, so only its call
 * can tell.
 *
 * @param call the function as it is to be called, such as `oauth.mcp({ … })`
 * @throws TypeError if the function was called with a request
 */
export function refuseRequest(functionName: string, call: string, given: unknown): void {
  const { headers, method, url } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof headers !== 'object' || typeof method !== 'string' || typeof url !== 'string') return;
  throw new TypeError(
    `${functionName}: it was called with a request; write ${call}, with parentheses, where the route of ${method} ${url.split('?')[0]} is declared`,
  );
}
