import type { Request } from 'express';

/** More devices than anybody connects at the same time; the oldest goes first. */
const MAX_CODES = 10;

/** What is kept in the session beside what Passport keeps there. */
interface DeviceSession {
  session: { oauthDeviceCodes?: unknown };
}

/**
 * Remembers that the person sent a code with our form. Only then its address shows what waits behind it: so the answer
 * to a form is a redirect, back and reload work, and a link that somebody else made still asks for the form.
 */
export function acceptCode(req: Request, codeHash: string): void {
  const { session } = req as unknown as DeviceSession;
  session.oauthDeviceCodes = [...new Set([...acceptedCodesOf(req), codeHash])].slice(-MAX_CODES);
}

export function isAcceptedCode(req: Request, codeHash: string): boolean {
  return acceptedCodesOf(req).includes(codeHash);
}

function acceptedCodesOf(req: Request): readonly string[] {
  const { oauthDeviceCodes: codes } = (req as unknown as DeviceSession).session;
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
}
