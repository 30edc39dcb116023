import { isLoopbackHost } from '../protocol/redirect-uri.js';
import { namesItsAuthority } from '../protocol/written-authority.js';

/** Whether it is an address that a client may give: https:, or http: on loopback, of ASCII, and with no user in it. */
export function isHttpsUrl(value: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(value) || !URL.canParse(value) || !namesItsAuthority(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
  return isSecure && username === '' && password === '';
}
