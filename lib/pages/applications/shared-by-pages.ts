import type { Request } from 'express';

import type { ClientService } from '../../core/clients/registry/client-service.js';
import type { GrantType } from '../../core/grant-types/grant-type.js';
import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { Settings } from '../../settings/settings.js';
import { accountNavigation } from '../navigation.js';
import { userIdOf, userNameOf } from '../person.js';
import type { Translator } from '../rendering/translator.js';
import type { RenderPage } from '../rendering/views.js';

export interface ApplicationPagesOptions {
  readonly settings: Settings;
  readonly clients: Pick<ClientService, 'limits' | 'fields'>;
  readonly renderPage: RenderPage;
  /** Those that are on, with their texts. */
  readonly grantTypes: readonly GrantType[];
}

/** What the pages of the applications are rendered with. */
export interface Renderer extends ApplicationPagesOptions {
  readonly root: string;
  readonly pathOf: (clientId: string, action?: string) => string;
}

/** What all pages of the applications have. */
export function sharedBy({ settings, root }: Renderer, req: Request, translator: Translator) {
  return {
    root,
    nav: accountNavigation(true, 'applications', settings, translator),
    userName: userNameOf(settings, req),
    csrfToken: personalCsrfTokenOf(req, userIdOf(settings, req)),
  };
}
