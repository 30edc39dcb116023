import type { Request } from 'express';

import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import type { OptionContext } from '../table/option-context.js';
import { serverOptionError } from '../table/parse-options.js';
import { textLike } from '../table/shapes.js';

/** A path of this site, or what may be the URL of a page elsewhere. Neither may have a fragment or a user in it. */
const PAGE = /^(\/(?![/\\])[^?#\s]*|https?:\/\/(?![/\\])[^\s#@\\]+)$/;
/** What a function gives may have a query of its own. */
const ADDRESS = /^(\/(?![/\\])|https?:\/\/(?![/\\]))[^\s#\\]*$/;

export const loginPage = () =>
  textLike(PAGE, "a path on this site such as '/login', or an https: URL of yours without # and user");

/** What may help a user at the login, from the parameters of OpenID Connect. (Core §3.1.2.1) */
export interface LoginHints {
  readonly login_hint?: string;
  readonly ui_locales?: string;
  readonly acr_values?: string;
}

/** Gives the address of the login page: a path on this site, or an https: URL of its own. */
export type FindLogin = (req: Request, returnTo: string, hints: LoginHints) => string;

/** What is known of the login page. */
export interface LoginSettings {
  /** The address of the login page with the way back. @throws TypeError if a function of the site's gives none */
  readonly addressOf: FindLogin;
  /** The origin of a page elsewhere, if it is known. */
  readonly origin: string | undefined;
}

/** @throws TypeError if nobody should log in at that URL */
export function resolveLogin(login: string | FindLogin, context: OptionContext): LoginSettings {
  const { issuer } = context;
  if (typeof login === 'function') {
    const find = login;
    return {
      addressOf(...requested) {
        const address: unknown = find(...requested);
        const isAddress = typeof address === 'string' && ADDRESS.test(address);
        if (isAddress && (address.startsWith('/') || originOf(address, context) !== undefined))
          return address;
        throw new TypeError(
          `authorizationServer: the option login must give a path on this site, such as '/login', or an https: URL; it gave ${typeof address === 'string' ? `'${address}'` : typeof address}`,
        );
      },
      origin: undefined,
    };
  }
  const origin = login.startsWith('/') ? issuer.origin : originOf(login, context);
  if (origin === undefined)
    throw serverOptionError(
      'login',
      `'${login}' is no URL to log in at; write a path on this site, such as '/login', or an https: URL`,
    );
  const isHere = origin === issuer.origin;
  return {
    // a path is what a page of this site can check (RFC 9700 §4.11); another origin has to know which site it is on
    addressOf(_req, returnTo, hints) {
      const query = { return_to: isHere ? returnTo : `${issuer.origin}${returnTo}`, ...hints };
      return `${login}${login.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
    },
    origin: isHere ? undefined : origin,
  };
}

/** Undefined if passwords must not be typed there: without TLS, unless it is on this machine. */
function originOf(url: string, { allowsInsecureHttp }: OptionContext): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  return protocol === 'https:' || allowsInsecureHttp || isLoopbackHost(hostname) ? origin : undefined;
}
