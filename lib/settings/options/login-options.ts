import type { Request } from 'express';

import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import type { OptionContext } from '../table/option-context.js';
import { serverOptionError } from '../table/parse-options.js';
import { textLike } from '../table/shapes.js';

/** A path of this site, or the URL of an external page, without fragment or user. */
const PAGE = /^(\/(?![/\\])[^?#\s]*|https?:\/\/(?![/\\])[^\s#@\\]+)$/;
/** An address that a function returns; it may have a query. */
const ADDRESS = /^(\/(?![/\\])|https?:\/\/(?![/\\]))[^\s#\\]*$/;

export const loginPage = () =>
  textLike(PAGE, "a path on this site such as '/login', or an https: URL of yours without # and user");

/** Hints for the login, from the parameters of OpenID Connect. (Core §3.1.2.1) */
export interface LoginHints {
  readonly login_hint?: string;
  readonly ui_locales?: string;
  readonly acr_values?: string;
}

/** Returns the address of the login page: a path on this site, or an https: URL. */
export type FindLogin = (req: Request, returnTo: string, hints: LoginHints) => string;

/** The resolved option `login`. */
export interface LoginSettings {
  /** The address of the login page with the return path. @throws TypeError if the site's function returns none */
  readonly addressOf: FindLogin;
  /** The origin of an external page, if known. */
  readonly origin: string | undefined;
}

/** @throws TypeError if the URL is unsafe for a login */
export function resolveLogin(login: string | FindLogin, context: OptionContext): LoginSettings {
  const { issuer } = context;
  if (typeof login === 'function') {
    const find = login;
    return {
      addressOf(...requested) {
        const address: unknown = find(...requested);
        const isAddress = typeof address === 'string' && ADDRESS.test(address);
        if (isAddress && (address.startsWith('/') || findSafeOrigin(address, context) !== undefined))
          return address;
        throw new TypeError(
          `authorizationServer: the option login must give a path on this site, such as '/login', or an https: URL; it gave ${typeof address === 'string' ? `'${address}'` : typeof address}`,
        );
      },
      origin: undefined,
    };
  }
  const origin = login.startsWith('/') ? issuer.origin : findSafeOrigin(login, context);
  if (origin === undefined)
    throw serverOptionError(
      'login',
      `'${login}' is no URL to log in at; write a path on this site, such as '/login', or an https: URL`,
    );
  const isHere = origin === issuer.origin;
  return {
    // a page of this site expects a path, which it can check (RFC 9700 §4.11); another origin needs the whole URL
    addressOf(_req, returnTo, hints) {
      const query = { return_to: isHere ? returnTo : `${issuer.origin}${returnTo}`, ...hints };
      return `${login}${login.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
    },
    origin: isHere ? undefined : origin,
  };
}

/** Undefined if the page must not ask for passwords: without TLS, except on loopback. */
function findSafeOrigin(url: string, { allowsInsecureHttp }: OptionContext): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, origin } = new URL(url);
  return protocol === 'https:' || allowsInsecureHttp || isLoopbackHost(hostname) ? origin : undefined;
}
