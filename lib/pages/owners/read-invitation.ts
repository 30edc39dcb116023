import type { Request } from 'express';

import { textField } from '../../core/http/form-fields.js';
import type { RefusedInvitation } from './describe-owners.js';

const MAX_TYPED = 200;

/** What was typed into the form that invites somebody, and what is wrong with it. */
export function readInvitation(req: Request): RefusedInvitation {
  const typed = textField(req.body, 'person')
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const as = textField(req.body, 'as') === 'transfer' ? 'transfer' : 'owner';
  if (typed === '') return { typed, as, problem: 'missing' };
  return typed.length > MAX_TYPED ? { typed, as, problem: 'too-long' } : { typed, as };
}
