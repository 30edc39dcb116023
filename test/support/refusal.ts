import { expect } from '@jest/globals';
import type { Response } from 'supertest';

import { OAuthError } from '../../lib/shared/errors.js';

/** The code of the thrown `OAuthError`; undefined without one. */
export function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof OAuthError) return error.error;
    throw error;
  }
  return undefined;
}

/** What an answer of an endpoint has in it if a request is refused. */
export const refusal = (status: number, error: string) => ({ status, body: { error } });

export function expectInvalidGrant(response: Response): void {
  expect(response).toMatchObject(refusal(400, 'invalid_grant'));
  expect(response.body).not.toHaveProperty('access_token');
}

/** What a command of the command line has told, if these words are part of it. */
export const exitWith = (code: number, terms: string) => ({
  code,
  stderr: expect.stringContaining(terms) as unknown,
});
