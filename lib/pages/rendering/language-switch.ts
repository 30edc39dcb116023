import { type NextFunction, type Request, type Response, Router } from 'express';

import { formBody } from '../../core/http/body.js';
import { textField } from '../../core/http/form-fields.js';
import { queryOf } from '../../core/http/query.js';
import { seeOther } from '../../core/http/redirect.js';
import { safeReturnPath } from '../../core/sessions/return-to.js';
import { lazy } from '../../shared/lazy.js';
import { peekParameter } from '../../shared/protocol/parameters.js';
import { LANGUAGE_COOKIE, type Languages } from './languages.js';
import type { PagesSetup } from './pages-setup.js';

/** The path of an icon, 16 by 16. */
const GLOBE =
  'M8 1.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 0 1 0-13zM8 1.5c-3.6 3.7-3.6 9.3 0 13M8 1.5c3.6 3.7 3.6 9.3 0 13M1.5 8h13';

export type LanguageSwitch = ReturnType<typeof createLanguageSwitch>;

const PATH = '/language';
/** Milliseconds: the maximum lifetime of a cookie in browsers. */
const COOKIE_LIFETIME = 400 * 86_400_000;

/** A form below each page, without a script. */
export function createLanguageSwitch(
  { publicPath, hiddenPath, pages: { home = '/' } }: PagesSetup,
  { locales, isSwitched }: Languages,
) {
  const router = Router();
  if (!isSwitched) return { router, show: () => undefined };

  const names = lazy(() =>
    locales.map((locale) => {
      const name = new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
      return { locale, name: `${name.slice(0, 1).toLocaleUpperCase(locale)}${name.slice(1)}` };
    }),
  );
  router.post(
    PATH,
    ...formBody(),
    (req: Request, res: Response) => {
      const locale = textField(req.body, 'language');
      // another site must not choose the language in which a user decides (Fetch Metadata Request Headers §2.3)
      const isFromElsewhere = (req.headers['sec-fetch-site'] ?? 'same-origin') !== 'same-origin';
      if (!isFromElsewhere && locales.includes(locale))
        res.cookie(LANGUAGE_COOKIE, locale, {
          path: '/',
          maxAge: COOKIE_LIFETIME,
          httpOnly: true,
          sameSite: 'lax',
          secure: req.secure,
        });
      seeOther(res, safeReturnPath(peekParameter(queryOf(req), 'return_to'), home));
    },
    // ignores a foreign form, without an error page
    (refusal: unknown, _req: Request, res: Response, next: NextFunction) => {
      if (res.headersSent) return next(refusal);
      seeOther(res, home);
    },
  );
  return {
    /** Handles the form, at the root of `publicPath`. */
    router,
    /**
     * Undefined without a language switch, and for the response to a form unless `address` has the same page: the
     * response itself has no address.
     */
    show({ method, originalUrl }: Request, current: string, address?: string) {
      // the address of the page in the browser
      const displayed = originalUrl.startsWith(`${hiddenPath}/`)
        ? originalUrl
        : `${hiddenPath}${originalUrl}`;
      const returnTo = method === 'GET' ? displayed : address;
      if (returnTo === undefined) return undefined;
      return {
        // the return address is in the URL, not a field: hidden fields tell the forms of a page apart
        action: `${publicPath}${PATH}?return_to=${encodeURIComponent(returnTo)}`,
        // a picture for users who cannot read the text beside it
        globe: GLOBE,
        current: names().find(({ locale }) => locale === current)?.name ?? current,
        languages: names().map((language) => ({ ...language, isCurrent: language.locale === current })),
      };
    },
  };
}
