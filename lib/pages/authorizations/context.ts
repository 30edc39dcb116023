import type { Request } from 'express';

import type { GrantRevocation } from '../../grants/grant-registry.js';
import type { FailureLimit } from '../../limits/failure-limit.js';
import type { Stores } from '../../models/stores.js';
import type { Audit } from '../../observability/audit.js';
import type { OAuthEvents } from '../../observability/events.js';
import type { Report } from '../../observability/report.js';
import type { EndSignIns } from '../../openid/end-sign-ins.js';
import type { RenderPage } from '../../rendering/views.js';
import type { Settings } from '../../settings/settings.js';

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
  /** Ends people's sign-ins at clients; undefined if nobody signs in with this site. */
  readonly endSignIns: EndSignIns | undefined;
  readonly root: string;
}

/** The address of the page of one connected app. */
export function pathOfApp({ root }: Pick<AuthorizationsContext, 'root'>, clientId: string): string {
  return `${root}/${encodeURIComponent(clientId)}`;
}
