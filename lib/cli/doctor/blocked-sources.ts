import { createHash } from 'node:crypto';

import { allows, directivesOf } from './content-policies.js';
import type { ReportFinding } from './finding.js';

/** The response with a page. */
export interface AnsweredPage {
  readonly url: string;
  readonly headers: Headers;
  readonly html: string;
}

/** A resource of a page: an address, or the text of an inline script. */
interface Loaded {
  readonly kind: 'style' | 'script' | 'image' | 'frame';
  readonly nonce: string;
  readonly address?: string;
  readonly script?: string;
}

/** CSP Level 3 §6.8.3: the directive of each kind, with its fallbacks. */
const DIRECTIVES: Readonly<Record<Loaded['kind'], readonly string[]>> = {
  style: ['style-src-elem', 'style-src', 'default-src'],
  script: ['script-src-elem', 'script-src', 'default-src'],
  image: ['img-src', 'default-src'],
  frame: ['frame-src', 'child-src', 'default-src'],
};
/** The maximum number of names in a message. */
const MAX_NAMED = 5;

/** Finds resources that a page's policy blocks: browsers only report them in their console. */
export function checkBlockedSources(report: ReportFinding, page: AnsweredPage, name: string, isOwn: boolean) {
  const blocked = loadedBy(page.html).filter((loaded) => isBlocked(page, loaded));
  if (blocked.length === 0) return;
  const addresses = [...new Set(blocked.map(({ address }) => address ?? 'a script in the page'))];
  const more = addresses.length > MAX_NAMED ? ` and ${addresses.length - MAX_NAMED} more` : '';
  // this package's pages load them by this option
  const kinds = (['style', 'script', 'image'] as const).flatMap((kind) => {
    const sources = blocked
      .filter((loaded) => loaded.kind === kind)
      .map(({ address, script = '' }) => {
        if (address === undefined) return hashOf(script);
        const { protocol, origin } = new URL(address, page.url);
        return /^https?:$/.test(protocol) ? origin : protocol;
      });
    return sources.length === 0 ? [] : [`${kind}: ${JSON.stringify([...new Set(sources)])}`];
  });
  const ownCure =
    kinds.length === 0
      ? 'Pages of the authorization server show no frames: take it out of the layout.'
      : `Write it into the options: pages: { sources: { ${kinds.join(', ')} } }`;
  report('warning', 'page.blocked', {
    what: `the Content-Security-Policy of ${name} blocks what it loads: ${addresses.slice(0, MAX_NAMED).join(', ')}${more}`,
    why: 'The page is shown without its styles, pictures or scripts, and only the console of the browser tells.',
    cure: isOwn ? ownCure : 'Add them to the policy that the site sets for this page (helmet).',
  });
}

function isBlocked({ headers, url }: AnsweredPage, { kind, nonce, address, script = '' }: Loaded): boolean {
  return directivesOf(headers, ...DIRECTIVES[kind]).some((sources) => {
    if (nonce !== '' && sources.includes(`'nonce-${nonce}'`)) return false;
    if (address !== undefined) return !allows(sources, new URL(address, url).href, new URL(url).origin);
    // CSP Level 3 §6.7.3.2: a nonce or a hash switches 'unsafe-inline' off
    const isOpen =
      sources.includes("'unsafe-inline'") && !sources.some((source) => /^'(nonce|sha\d{3})-/.test(source));
    return !isOpen && !sources.includes(hashOf(script));
  });
}

/** Styles, scripts, pictures and frames in the HTML of a page; no script is run. */
function loadedBy(html: string): Loaded[] {
  const text = html.replaceAll(/<!--[^]*?-->/g, '');
  const tags = [...text.matchAll(/<(?:(link|img|iframe)\b([^>]*)>|script\b([^>]*)>([^]*?)<\/script>)/gi)];
  return tags.flatMap(([, tag = 'script', ofTag = '', ofScript, script = '']): Loaded[] => {
    const of = (name: string) => {
      const pattern = `(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`;
      const [, ...values] = new RegExp(pattern, 'i').exec(ofScript ?? ofTag) ?? [];
      return (values.find((value) => value !== undefined) ?? '').replaceAll('&amp;', '&');
    };
    const nonce = of('nonce');
    const addressed = (kind: Loaded['kind'], address: string): Loaded[] =>
      URL.canParse(address, 'http://same.invalid') ? [{ kind, address, nonce }] : [];
    switch (tag.toLowerCase()) {
      case 'link':
        return /\bstylesheet\b/i.test(of('rel')) ? addressed('style', of('href')) : [];
      case 'img':
        return addressed('image', of('src'));
      case 'iframe':
        return addressed('frame', of('src'));
    }
    if (of('src') !== '') return addressed('script', of('src'));
    // HTML §4.12.1: a script of another type is a data block
    const isCode = /^(|module|(text|application)\/(java|ecma)script)$/i.test(of('type'));
    return isCode && script.trim() !== '' ? [{ kind: 'script', nonce, script }] : [];
  });
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`;
}
