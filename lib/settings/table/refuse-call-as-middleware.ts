/** How to call a function that was passed to Express as a handler. */
export interface RightCall {
  /** Such as `oauth.mcp({ … })`. */
  readonly call: string;
  /** Where to write the call. Default: in the declaration of the route. */
  readonly place?: (route: string) => string;
}

/**
 * Detects `app.use('/mcp', oauth.mcp)` instead of `oauth.mcp({ … })`: Express accepts any function as a handler, so
 * only the call reveals it.
 *
 * @throws TypeError if the function was called with a request
 */
export function refuseCallAsMiddleware(
  functionName: string,
  { call, place = (route) => `where the route of ${route} is declared` }: RightCall,
  input: unknown,
): void {
  const { headers, method, url } = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof headers !== 'object' || typeof method !== 'string' || typeof url !== 'string') return;
  const route = `${method} ${url.split('?')[0]}`;
  throw new TypeError(
    `${functionName}: it was called with a request; write ${call}, with parentheses, ${place(route)}`,
  );
}
