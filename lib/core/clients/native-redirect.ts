import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';

/** Whether a redirect URI leads to an app on the user's device (RFC 8252 §7.1, §7.3). */
export function isOnDevice(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' ? isLoopbackHost(hostname) : protocol !== 'https:';
}
