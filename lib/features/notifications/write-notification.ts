import ejs from 'ejs';

import { describeScope } from '../../pages/consent/describe-scopes.js';
import type { Translator } from '../../pages/rendering/translator.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import type { Occasion } from './find-occasion.js';
import type { Notification } from './options.js';

/** What is sent to one user, in their language. */
export function writeNotification(
  { kind, clientId, name = clientId, tokenId, expiresAt, scopes }: Occasion,
  settings: Settings,
  translator: Translator,
): Omit<Notification, 'id' | 'userId'> {
  const { text, markup, locale } = translator;
  const values = {
    client: name,
    site: settings.siteName,
    ...(expiresAt !== undefined && { date: translator.day(new Date(expiresAt)).text }),
  };
  const url = urlFor({ kind, clientId, tokenId }, settings);
  const can = scopes.map((scope) => describeScope(settings.scopes, scope, locale));
  const isOwnDoing = ['newApp', 'moreScopes', 'newDevice', 'newToken'].includes(kind);
  const after = text(isOwnDoing ? 'notify.notYou' : 'notify.look');
  const escape = (value: string) => ejs.escapeXML(value);
  return {
    kind,
    // a subject is one line of a mail
    subject: oneLine(text(`notify.${kind}.subject`, values)),
    text: [
      text(`notify.${kind}.text`, values),
      ...(can.length > 0 ? [[text('authorizations.can'), ...can.map((line) => `- ${line}`)].join('\n')] : []),
      `${after}\n${url}`,
    ].join('\n\n'),
    html: [
      `<p>${markup(`notify.${kind}.text`, values, 'strong')}</p>`,
      ...(can.length > 0
        ? [
            `<p>${escape(text('authorizations.can'))}</p>`,
            `<ul>${can.map((line) => `<li>${escape(line)}</li>`).join('')}</ul>`,
          ]
        : []),
      `<p>${escape(after)} <a href="${escape(url)}">${escape(url)}</a></p>`,
    ].join('\n'),
    url,
    language: locale,
  };
}

function urlFor(
  { kind, clientId, tokenId }: Pick<Occasion, 'kind' | 'clientId'> & { readonly tokenId: string | undefined },
  settings: Settings,
): string {
  if (kind === 'appBlocked') return `${urlOf(settings, 'applications')}/${encodeURIComponent(clientId)}`;
  const tokens = urlOf(settings, 'access-tokens');
  // a token that has ended has no page of its own
  if (kind === 'tokenLeaked') return tokens;
  if (tokenId !== undefined) return `${tokens}/${tokenId}`;
  const apps = urlOf(settings, 'authorizations');
  return kind === 'reuseDetected' ? apps : `${apps}/${encodeURIComponent(clientId)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}
