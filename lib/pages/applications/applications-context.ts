import type { Request } from 'express';

import type { ClientDirectory } from '../../core/clients/registry/client-directory.js';
import type { ClientService } from '../../core/clients/registry/client-service.js';
import type { OperationContext } from '../../core/clients/registry/update-client.js';
import type { ClientFailures } from '../../core/clients/status/client-failures.js';
import type { Settings } from '../../settings/settings.js';
import type { ApplicationPages } from './application-pages.js';

/** What the handlers of the applications pages work with. */
export interface ApplicationsContext {
  readonly settings: Settings;
  readonly clients: ClientService;
  readonly directory: ClientDirectory;
  /** Why clients were refused lately; undefined if that is not counted. */
  readonly clientFailures: Pick<ClientFailures, 'of'> | undefined;
  /** The time of a request's changes, and where their events go. */
  readonly actOf: (req: Request, now: Date) => OperationContext;
  readonly pages: ApplicationPages;
}
