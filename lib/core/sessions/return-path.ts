const SOMEWHERE = 'http://same.invalid';

/**
 * A path to return to after the login that is safe to redirect to: on this site only. Anything else becomes `fallback`.
 * For a site's own login page: `res.redirect(safeReturnPath(req.query.return_to))`.
 *
 * @see RFC 9700 §4.11 (open redirectors)
 */
export function safeReturnPath(value: unknown, fallback = '/'): string {
  // browsers read \ as / and drop tabs and line breaks: '/\evil.example' and '/<tab>/evil.example' leave the site
  if (typeof value !== 'string' || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)) return fallback;
  if (!URL.canParse(value, SOMEWHERE)) return fallback;
  const url = new URL(value, SOMEWHERE);
  // '/..//evil.example' resolves to '//evil.example', which would name another host
  return url.origin === SOMEWHERE && !url.pathname.startsWith('//') ? value : fallback;
}
