import { isLoopbackHost } from './redirect-uri.js';

/** Whether nobody can read along: https:, or http: on loopback, where clients and sites are developed. */
export function isSecureUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}
