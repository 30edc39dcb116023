/** How a function is called, for somebody who gave it to Express in the place of a handler. */
export interface RightCall {
  /** Such as `oauth.mcp({ … })`. */
  readonly call: string;
  /** Where the call stands. Default: in the declaration of the route. */
  readonly place?: (route: string) => string;
}

/**
 * `app.use('/mcp', oauth.mcp)` instead of `oauth.mcp({ … })`: Express takes any function for a handler, so only its call
 * can tell.
 *
 * @throws TypeError if the function was called with a request
 */
export function refuseCallAsMiddleware(
  functionName: string,
  { call, place = (route) => `where the route of ${route} is declared` }: RightCall,
  given: unknown,
): void {
  const { headers, method, url } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof headers !== 'object' || typeof method !== 'string' || typeof url !== 'string') return;
  const route = `${method} ${url.split('?')[0]}`;
  throw new TypeError(
    `${functionName}: it was called with a request; write ${call}, with parentheses, ${place(route)}`,
  );
}
