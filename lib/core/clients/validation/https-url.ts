import { isLoopbackHost } from '../../../shared/protocol/redirect-uri.js';
import { namesItsAuthority } from '../../../shared/protocol/written-authority.js';

/** Whether a client may give this address: https:, or http: on loopback, in ASCII, and with no user in it. */
export function isHttpsUrl(value: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(value) || !URL.canParse(value) || !namesItsAuthority(value)) return false;
  const url = new URL(value);
  return isSecure(url) && url.username === '' && url.password === '';
}

/** Nobody is between on loopback, where clients are developed. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

const MAX_LENGTH = 2000;

/** The same for an address to which requests go: without a fragment, and not too long. */
export function isPlainHttpsUrl(value: string): boolean {
  return value.length <= MAX_LENGTH && isHttpsUrl(value) && !value.includes('#');
}

export function notUsable(field: string): string {
  return `The ${field} is no https: URL without a fragment and a user.`;
}
