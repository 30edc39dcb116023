import type { DeviceAuthorizationResponse } from 'openid-client';
import QRCode from 'qrcode';

/**
 * Instructions, with a QR code of the address for a phone (RFC 8628 §3.3.1: the code and the plain address are shown as
 * well). A loopback address would lead a phone to itself, so it has no QR code.
 */
export async function invite(
  {
    verification_uri: page,
    verification_uri_complete: complete,
    user_code: code,
  }: Pick<DeviceAuthorizationResponse, 'verification_uri' | 'verification_uri_complete' | 'user_code'>,
  isTerminal: boolean,
): Promise<string> {
  const text = `\n  Open     ${page}\n  and type ${code}\n`;
  if (complete === undefined) return text;
  const { host } = new URL(complete);
  if (isLoopback(new URL(complete)))
    return `${text}
  There is no QR code: ${host} is this machine,
  and a phone would ask itself. Open the page in a browser here. For a phone,
  start the example with ISSUER=https://…, behind a TLS proxy that it can reach.
`;
  const picture = await QRCode.toString(
    complete,
    isTerminal ? { type: 'terminal', small: true } : { type: 'utf8' },
  );
  return `${text}\n  or scan this, and compare the code:\n\n${picture}`;
}

/** Hosts that mean the requesting machine itself (RFC 6761 §6.3, RFC 1122 §3.2.1.3). */
function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
