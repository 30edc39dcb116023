import ejs from 'ejs';

import { describeScope } from '../../pages/consent/describe-scopes.js';
import type { Translator } from '../../pages/rendering/translator.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import type { Occasion } from './find-occasion.js';

/** The texts of a notification, in the language of its user. */
export function writeNotification(
  { kind, clientId, name = clientId, tokenId, expiresAt, scopes }: Occasion,
  settings: Settings,
  translator: Translator,
) {
  const { text, markup, locale } = translator;
  const date = expiresAt === undefined ? '' : translator.day(new Date(expiresAt)).text;
  const values = { client: name, site: settings.siteName, date };
  const page = (endpoint: string, id?: string) =>
    id === undefined ? urlOf(settings, endpoint) : `${urlOf(settings, endpoint)}/${encodeURIComponent(id)}`;
  let url: string;
  if (kind === 'appBlocked') url = page('applications', clientId);
  // a token that has ended has no page
  else if (kind === 'tokenLeaked') url = page('access-tokens');
  else if (tokenId !== undefined) url = page('access-tokens', tokenId);
  else url = page('authorizations', kind === 'reuseDetected' ? undefined : clientId);
  const can = scopes.map((scope) => describeScope(settings.scopes, scope, locale));
  const isOwnDoing = ['newApp', 'moreScopes', 'newDevice', 'newToken'].includes(kind);
  const after = text(isOwnDoing ? 'notify.notYou' : 'notify.look');
  const escape = (value: string) => ejs.escapeXML(value);
  const list = (...lines: readonly string[]) => (can.length > 0 ? lines : []);
  return {
    kind,
    // line breaks would end the header of a mail
    subject: text(`notify.${kind}.subject`, values).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
    text: [
      text(`notify.${kind}.text`, values),
      ...list(`${text('authorizations.can')}${can.map((line) => `\n- ${line}`).join('')}`),
      `${after}\n${url}`,
    ].join('\n\n'),
    html: [
      `<p>${markup(`notify.${kind}.text`, values, 'strong')}</p>`,
      ...list(
        `<p>${escape(text('authorizations.can'))}</p>`,
        `<ul>${can.map((line) => `<li>${escape(line)}</li>`).join('')}</ul>`,
      ),
      `<p>${escape(after)} <a href="${escape(url)}">${escape(url)}</a></p>`,
    ].join('\n'),
    url,
    language: locale,
  };
}
