import type { RowsOf } from '../../settings/options.js';
import { objectOf, option, type OptionsOf, required, type SettingsOf } from '../../settings/table/option.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { unguessable } from '../../settings/table/secret.js';
import { flag, listOf, textLike } from '../../settings/table/shapes.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import * as z from '../../shared/schema.js';

/** By the Standard Webhooks specification: 24 to 64 bytes, as base64. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const SECRET_TERMS =
  'a text of whsec_ and 24 to 64 random bytes as base64; `echo whsec_$(openssl rand -base64 32)` prints one';
const secret = () =>
  unguessable(textLike(SECRET, SECRET_TERMS), SECRET_TERMS, (value) =>
    Buffer.from(value.slice('whsec_'.length), 'base64').toString('latin1'),
  );

const rows = {
  /** An https: URL. */
  url: required({
    shape: () => textLike(/^https?:\/\//, "an https: URL, such as 'https://hooks.example/oauth'"),
  }),
  /**
   * What events are signed with: `whsec_` and 24 to 64 random bytes as base64. To change it, give a list, the new one
   * first.
   */
  secret: required({
    shape: () => z.union([secret(), listOf(secret(), SECRET_TERMS, { isNeeded: true })], SECRET_TERMS),
    secret: true,
  }),
  /**
   * Names such as `grant.revoked`, `client.*` for all that begin like this, or `*` for all. `token.issued` comes with
   * every token.
   */
  events: required({
    shape: () =>
      listOf(
        textLike(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/, "the name of an event, 'client.*' or '*'"),
        "a list of events, such as ['grant.revoked', 'client.*']",
        { isNeeded: true },
      ),
  }),
  /**
   * The name of the receiver in lists and events. If you change the URL and keep the name, what waits goes to the new
   * URL. Default: the host of the URL.
   */
  name: option({
    shape: () => textLike(/^[\w.:[\]-]{1,100}$/, "a name of letters, digits, - . _ such as 'security-desk'"),
  }),
  /** Allows addresses in your network, and `http:` on loopback. Default: `false`. */
  allowPrivateAddresses: option({ shape: flag, default: false }),
};

/** One receiver of webhooks. */
export type WebhookOptions = OptionsOf<typeof rows>;
/** A receiver of webhooks, with its defaults. */
export type WebhookSettings = ReturnType<typeof resolveWebhooks>[number];

/** Events for other programs. */
export const webhookOptions = {
  /**
   * Sends events to your URLs as JSON, signed by the Standard Webhooks specification, until the URL answers 2xx:
   * `[{ url, secret, events }]`. Default: none.
   */
  webhooks: option({
    shape: () =>
      listOf(
        objectOf(rows, 'an object of url, secret, events'),
        "a list of receivers, such as [{ url: 'https://hooks.example/oauth', secret, events: ['grant.revoked'] }]",
      ),
    default: [],
    resolve: resolveWebhooks,
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof webhookOptions> {}
}

/** @throws TypeError if a URL cannot be used, or two receivers have one name */
function resolveWebhooks(receivers: readonly SettingsOf<typeof rows>[]) {
  const all = receivers.map(({ secret: secrets, ...webhook }, index) => {
    const wrong = (message: string) => serverOptionError(`webhooks.${index}.url`, message);
    const { url, allowPrivateAddresses } = webhook;
    if (!URL.canParse(url)) throw wrong(`'${url}' is not a URL`);
    const { protocol, host, hostname, username, password, hash } = new URL(url);
    if (protocol !== 'https:' && !(isLoopbackHost(hostname) && allowPrivateAddresses))
      throw wrong('must be an https: URL; http: is for loopback, with allowPrivateAddresses: true');
    if (username !== '' || password !== '' || hash !== '')
      throw wrong('has no user name, password or fragment; the signature says who sends');
    return { ...webhook, name: webhook.name ?? host, secrets: [secrets].flat() };
  });
  const names = all.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw serverOptionError('webhooks', `two are called '${repeated}'; give each a name`);
  return all;
}
