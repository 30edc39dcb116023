import type { Request, Response } from 'express';

import { personalCsrfTokenOf } from '../../core/http/csrf.js';
import type { MessageKey } from '../../messages/index.js';
import { userIdOf, userNameOf } from '../../pages/person.js';
import type { RenderPage } from '../../pages/rendering/views.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import type { UserCode } from '../../shared/crypto/user-codes.js';

export interface CodePage {
  /** What is in the field. */
  readonly userCode: string;
  /** Whether it came with the address, and nobody has typed it. */
  readonly isFromLink?: boolean;
  readonly problem?: MessageKey;
  readonly status?: number;
}

export type DevicePages = ReturnType<typeof createDevicePages>;

/** Renders the pages on which a user connects a device; decides nothing. */
export function createDevicePages({
  settings,
  renderPage,
}: {
  readonly settings: Settings;
  readonly renderPage: RenderPage;
}) {
  const root = pathOf(settings, 'device');
  const queryOf = ({ text }: UserCode) => new URLSearchParams({ user_code: text }).toString();

  return {
    /** The page that asks for the code, filled in if there is one already. */
    pathOf: (userCode: UserCode | null) => (userCode === null ? root : `${root}?${queryOf(userCode)}`),
    /** The page that shows what waits behind a code. */
    requestPathOf: (userCode: UserCode) => `${root}/request?${queryOf(userCode)}`,
    /** Renders the page that asks for the code. */
    async code(
      req: Request,
      res: Response,
      { userCode, isFromLink = false, problem, status }: CodePage,
    ): Promise<void> {
      await renderPage(req, res, {
        view: 'device',
        status,
        address: root,
        locals: ({ text }) => ({
          title: text('device.title'),
          action: root,
          csrfToken: personalCsrfTokenOf(req, userIdOf(settings, req)),
          userCode,
          isFromLink,
          problem: problem && text(problem),
          userName: userNameOf(settings, req),
        }),
      });
    },
    /** What comes after the decision. */
    async done(req: Request, res: Response, decision: 'allow' | 'deny'): Promise<void> {
      const isAllowed = decision === 'allow';
      await renderPage(req, res, {
        view: 'device-done',
        locals: ({ text }) => ({
          title: text(isAllowed ? 'device.allowed' : 'device.denied'),
          isAllowed,
          authorizations: pathOf(settings, 'authorizations'),
          userName: userNameOf(settings, req),
        }),
      });
    },
  };
}
