import type { ClientMetadata } from '../client.js';
import type { ClientProblem } from '../validation-error.js';

/** What can happen to the refresh token of a client when it is used. */
export const REFRESH_TOKENS: readonly string[] = ['rotate', 'keep'];

/** RFC 9700 §4.14.2: of public clients, refresh tokens are bound to the sender, or replaced with each use. */
export function refreshTokenProblems({
  refreshTokens,
  type,
  dpopBoundAccessTokens,
}: ClientMetadata): ClientProblem[] {
  if (refreshTokens === undefined || refreshTokens === 'rotate') return [];
  if (refreshTokens !== 'keep')
    return [{ field: 'refreshTokens', problem: 'What refreshTokens says is rotate or keep.' }];
  if (type === 'confidential' || dpopBoundAccessTokens === true) return [];
  return [
    {
      field: 'refreshTokens',
      problem:
        'A public client keeps its refresh token only if its tokens are bound to a key: set dpopBoundAccessTokens.',
    },
  ];
}
