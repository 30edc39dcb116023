import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** The headers that tell a receiver who sends, and that nothing was changed. @see Standard Webhooks, 1.0 */
export function signatureHeaders(
  { id, payload }: { readonly id: string; readonly payload: string },
  secrets: readonly string[],
  now: Date,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now.getTime() / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    // one with each secret, while they are being changed
    'webhook-signature': signatures.join(' '),
  };
}
