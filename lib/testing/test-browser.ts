/** A page after all redirects within the site; if one leads away from the site, that redirect, not followed. */
export interface PageInTest {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** A browser without JavaScript, at one site. */
export interface TestBrowser {
  open(url: URL): Promise<PageInTest>;
  submit(action: URL, fields: readonly (readonly [name: string, value: string])[]): Promise<PageInTest>;
  /** Its cookies, as a `Cookie` header. */
  readonly cookie: () => string;
}

const MAX_REDIRECTS = 10;

/** @param cookie a `Cookie` header, or `Set-Cookie` headers */
export function createTestBrowser(cookie: string | readonly string[] = ''): TestBrowser {
  const jar = new Map<string, string>();
  const keep = (pair: string): void => {
    const [name = '', ...value] = pair.trim().split('=');
    if (name !== '') jar.set(name, value.join('='));
  };
  for (const pair of typeof cookie === 'string'
    ? cookie.split(';')
    : cookie.map((line) => line.split(';')[0]))
    keep(pair ?? '');
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
    open: (url) => follow(url, {}),
    submit: (action, fields) =>
      follow(action, {
        method: 'POST',
        body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
      }),
    cookie: header,
  };
}

/** A form, as a browser would send it if nobody touched it. */
export interface FormInTest {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

/**
 * The form with this id; undefined if the page has none.
 *
 * @param ticked names whose boxes are all ticked, whether they were or not
 */
export function formOf(html: string, id: string, ticked: readonly string[] = []): FormInTest | undefined {
  const form = (html.match(/<form\b[\s\S]*?<\/form>/g) ?? []).find((found) => attribute(found, 'id') === id);
  if (form === undefined) return undefined;
  const inputs = (form.match(/<input\b[^>]*>/g) ?? []).filter(
    (input) =>
      attribute(input, 'type') === 'hidden' ||
      /\schecked\b/.test(input) ||
      ticked.includes(attribute(input, 'name')),
  );
  return {
    action: attribute(form, 'action'),
    fields: inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]),
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
