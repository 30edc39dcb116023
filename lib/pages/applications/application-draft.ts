import type { Request } from 'express';

import type { RequestContext } from '../../core/http/handle.js';
import type { FlashKey } from '../../core/sessions/session-flash.js';
import { answerWithDraft, discardDraft, findDraft } from '../form-drafts.js';
import { viewerOf } from './application-access.js';
import { type ApplicationValues, withPublicKeys } from './application-authentication.js';
import type { ApplicationPages } from './application-pages.js';

/** What is typed so far of an application that is not registered yet. */
export interface ApplicationDraft {
  readonly values: ApplicationValues;
  /** Identifies the form, whatever kind of application it is for. */
  readonly submission: string;
}

/**
 * Leads to the form for a kind of application, with what is typed so far, or shows that form directly if what was pasted
 * as keys may be a private key.
 */
export async function answerWithKind(
  context: RequestContext,
  {
    pages,
    kind,
    values,
    submission,
  }: ApplicationDraft & { readonly pages: ApplicationPages; readonly kind: string | undefined },
  answer: () => Promise<void>,
): Promise<void> {
  const storable = withPublicKeys(values);
  if (storable === undefined) return answer();
  const query = new URLSearchParams({ ...(kind !== undefined && { kind }), draft: submission }).toString();
  const typed: ApplicationDraft = { values: storable, submission };
  const draft = { of: keyOf(context.req, submission), path: `${pages.newPath}?${query}`, typed };
  await answerWithDraft(context, draft, answer);
}

export function findApplicationDraft(
  req: Request,
  submission: string | undefined,
  now: Date,
): ApplicationDraft | undefined {
  return submission === undefined ? undefined : findDraft(req, keyOf(req, submission), now);
}

/** For one that is registered. */
export function discardApplicationDraft(req: Request, submission: string, now: Date): void {
  discardDraft(req, keyOf(req, submission), now);
}

function keyOf(req: Request, submission: string): FlashKey {
  return { name: `draft ${submission}`, userId: viewerOf(req).ownerId };
}
