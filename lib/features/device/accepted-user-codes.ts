import type { Request } from 'express';

import { hashSecret } from '../../shared/crypto/secrets.js';

/** More devices than anybody connects at the same time; the oldest goes first. */
const MAX_CODES = 10;

interface DeviceSession {
  session: { oauthDeviceCodes?: unknown };
}

/** Who has sent which code. */
interface AcceptedCode {
  readonly codeHash: string;
  readonly userId: string;
}

/**
 * Remembers that the user sent a code with our form. Only then does its address show what waits behind it. So the
 * answer to a form is a redirect, back and reload work, and a link that somebody else made still asks for the form.
 */
export function acceptCode(req: Request, code: AcceptedCode): void {
  const { session } = req as unknown as DeviceSession;
  session.oauthDeviceCodes = [...new Set([...acceptedCodesOf(req), keyOf(code)])].slice(-MAX_CODES);
}

export function isAcceptedCode(req: Request, code: AcceptedCode): boolean {
  return acceptedCodesOf(req).includes(keyOf(code));
}

/** A session may outlive a login: the next user starts without codes. */
function keyOf({ codeHash, userId }: AcceptedCode): string {
  return hashSecret(JSON.stringify([codeHash, userId]));
}

function acceptedCodesOf(req: Request): readonly string[] {
  const { oauthDeviceCodes: codes } = (req as unknown as DeviceSession).session;
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
}
