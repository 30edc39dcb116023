/** A page after all redirects within the site, or the first redirect that leads away from the site, not followed. */
export interface PageInTest {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** Names and values of the fields of a form. */
type Fields = readonly (readonly [name: string, value: string])[];

const MAX_REDIRECTS = 10;

export type TestBrowser = ReturnType<typeof createTestBrowser>;

/**
 * A browser without JavaScript, at one site.
 *
 * @param cookie a `Cookie` header, or `Set-Cookie` headers
 */
export function createTestBrowser(cookie: string | readonly string[] = '') {
  const jar = new Map<string, string>();
  const keep = (pair: string): void => {
    const [name = '', ...value] = pair.trim().split('=');
    if (name !== '') jar.set(name, value.join('='));
  };
  const pairs = typeof cookie === 'string' ? cookie.split(';') : cookie.map((line) => line.split(';', 1)[0]);
  for (const pair of pairs) keep(pair ?? '');
  const header = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

  const request = async (url: URL, init: RequestInit): Promise<Response> => {
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { Cookie: header() } });
    for (const line of answer.headers.getSetCookie()) keep(line.split(';')[0] ?? '');
    return answer;
  };
  const follow = async (first: URL, init: RequestInit): Promise<PageInTest> => {
    const clientUri = first.searchParams.get('redirect_uri');
    let [url, answer] = [first, await request(first, init)];
    for (let hops = 0; answer.status >= 300 && answer.status < 400; hops += 1) {
      if (hops === MAX_REDIRECTS) throw new Error(`${first.pathname} redirects without end`);
      const next = new URL(answer.headers.get('location') ?? '', url);
      const isAtClient = next.searchParams.has('code') || next.searchParams.has('error');
      if (next.origin !== first.origin || isAtClient || next.href === clientUri)
        return { url: next, status: answer.status, text: '' };
      [url, answer] = [next, await request(next, {})];
    }
    return { url, status: answer.status, text: await answer.text() };
  };

  return {
    open: (url: URL) => follow(url, {}),
    submit: (action: URL, fields: Fields) =>
      follow(action, { method: 'POST', body: new URLSearchParams(fields as [string, string][]) }),
    /** The cookies, as a `Cookie` header. */
    cookie: header,
  };
}

/**
 * The form with this id, as a browser would send it unchanged; undefined if the page has none.
 *
 * @param ticked names whose boxes are all ticked
 */
export function formOf(html: string, id: string, ticked: readonly string[] = []) {
  const form = (html.match(/<form\b[\s\S]*?<\/form>/g) ?? []).find((each) => attribute(each, 'id') === id);
  if (form === undefined) return undefined;
  const inputs = (form.match(/<input\b[^>]*>/g) ?? []).filter(
    (input) =>
      attribute(input, 'type') === 'hidden' ||
      /\schecked\b/.test(input) ||
      ticked.includes(attribute(input, 'name')),
  );
  return {
    action: attribute(form, 'action'),
    fields: inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')] as const),
  };
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`^<[^>]*\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value.replaceAll(/&(#34|#39|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}
