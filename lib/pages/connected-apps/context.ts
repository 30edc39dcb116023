import type { Request } from 'express';

import type { GrantRevocation } from '../../core/grants/grant-registry.js';
import type { Audit } from '../../core/observability/audit.js';
import type { OAuthEvents } from '../../core/observability/events.js';
import type { Report } from '../../core/observability/report.js';
import type { EndSignIns } from '../../core/openid/session-endings.js';
import type { Settings } from '../../settings/settings.js';
import type { FailureLimit } from '../../shared/limits/failure-limit.js';
import type { Stores } from '../../storage/stores.js';
import type { RenderPage } from '../rendering/views.js';

/** What the pages of connected apps need. */
export interface AuthorizationsContext {
  readonly settings: Settings;
  readonly models: Stores;
  readonly events: OAuthEvents;
  readonly audit: Audit;
  /** The grant types with which devices are connected. */
  readonly deviceGrantTypes: readonly string[];
  /** The registry whose events belong to a request. */
  readonly grantsFor: (req: Request) => GrantRevocation;
  /** Limits reports, per person. */
  readonly reports: FailureLimit;
  readonly renderPage: RenderPage;
  readonly report: Report;
  /** Ends users' sign-ins at clients; undefined if nobody signs in with this site. */
  readonly endSignIns: EndSignIns | undefined;
  readonly root: string;
}

/** The address of the page of one connected app. */
export function pathOfApp({ root }: Pick<AuthorizationsContext, 'root'>, clientId: string): string {
  return `${root}/${encodeURIComponent(clientId)}`;
}
