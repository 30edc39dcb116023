import type { Request } from 'express';

import type { RequestContext } from '../../core/http/handle.js';
import type { FlashKey } from '../../core/sessions/session-flash.js';
import { redirectWithTyped, typedForms } from '../typed-forms.js';
import { viewerOf } from './application-access.js';
import { type ApplicationValues, withPublicKeys } from './application-authentication.js';
import type { ApplicationPages } from './application-pages.js';

/** What is typed so far of an application that is not registered yet. */
export interface ApplicationDraft {
  readonly values: ApplicationValues;
  /** Identifies the form, whatever kind of application it is for. */
  readonly submission: string;
}

/** Milliseconds that somebody may take to fill in the form. */
const LIFE = 60 * 60_000;

/**
 * Leads to the form for a kind of application, with what is typed so far. That stays in the session until the
 * application is registered, so Back, Forward and reload show it as well. Shows the form directly if what was pasted as
 * keys may be a private key.
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
  const value: ApplicationDraft = { values: storable, submission };
  const of = keyOf(context.req, submission);
  await redirectWithTyped(context, { of, path: `${pages.newPath}?${query}`, value, life: LIFE }, answer);
}

export function findApplicationDraft(
  req: Request,
  submission: string | undefined,
  now: Date,
): ApplicationDraft | undefined {
  if (submission === undefined) return undefined;
  return typedForms.peek(req, keyOf(req, submission), now) as ApplicationDraft | undefined;
}

/** For one that is registered. */
export function discardApplicationDraft(req: Request, submission: string, now: Date): void {
  typedForms.take(req, keyOf(req, submission), now);
}

function keyOf(req: Request, submission: string): FlashKey {
  return { name: `draft ${submission}`, userId: viewerOf(req).ownerId };
}
