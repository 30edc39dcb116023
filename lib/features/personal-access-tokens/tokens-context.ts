import type { Request } from 'express';

import type { TokensOf } from '../../core/grants/grant-store.js';
import type { NamedTokenKind } from '../../core/grants/named-token.js';
import type { RenderError } from '../../core/http/page-error.js';
import { emitFor } from '../../core/observability/events.js';
import type { RenderPage } from '../../pages/rendering/views.js';
import type { Server } from '../../server/server.js';
import type { PersonalAccessTokenSettings } from './options.js';
import type { Step } from './rotate-token.js';
import type { TokenOwners } from './token-owners.js';
import type { TokenService } from './token-service.js';

/** What the pages of access tokens need. */
export interface TokensContext extends Server {
  readonly options: PersonalAccessTokenSettings;
  readonly service: TokenService;
  readonly owners: TokenOwners;
  /**
   * Counts an invitation of a user, whether there is somebody to invite or not.
   *
   * @throws OAuthError with status 429
   */
  readonly countInvitation: (req: Request, userId: string) => Promise<void>;
  readonly renderPage: RenderPage;
  readonly renderError: RenderError;
  readonly root: string;
}

export function pathOfToken({ root }: Pick<TokensContext, 'root'>, id: string): string {
  return `${root}/${encodeURIComponent(id)}`;
}

export function pathOfNew({ root }: Pick<TokensContext, 'root'>, kind: NamedTokenKind): string {
  return kind === 'service' ? `${root}/new?kind=service` : `${root}/new`;
}

/** Events of a step belong to the request. */
export function stepOf({ events }: Pick<TokensContext, 'events'>, req: Request, now: Date): Step {
  return { now, emit: emitFor(events, req) };
}

/** Whose token it is: no user id is read from a request. */
export function ownOf(kind: NamedTokenKind, userId: string): TokensOf {
  return kind === 'service' ? { ownerId: userId } : { userId };
}
