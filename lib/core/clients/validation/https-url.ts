import { isSecureUrl, namesItsAuthority } from '../../../shared/protocol/redirect-uri.js';

/** Whether a client may give this address: https:, or http: on loopback, in ASCII, and with no user in it. */
export function isHttpsUrl(value: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(value) || !URL.canParse(value) || !namesItsAuthority(value)) return false;
  const { username, password } = new URL(value);
  return isSecureUrl(value) && username === '' && password === '';
}

const MAX_LENGTH = 2000;

/** The same for an address to which requests go: without a fragment, and not too long. */
export function isPlainHttpsUrl(value: string): boolean {
  return value.length <= MAX_LENGTH && isHttpsUrl(value) && !value.includes('#');
}

export function notUsable(field: string): string {
  return `The ${field} is no https: URL without a fragment and a user.`;
}
