/** The page after all redirects. */
export interface BrowserPage {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
  /** Every address on the way, this page's at the end. */
  readonly visited: readonly URL[];
  /** The body of a form sent to the address at which the browser stops. */
  readonly form?: URLSearchParams;
}

/** A browser without a window: it stores cookies by host as browsers do, follows redirects, sends forms. */
export interface HttpBrowser {
  open(address: string | URL): Promise<BrowserPage>;
  /** Fills the form with this id in and presses a button of it. */
  submit(
    page: BrowserPage,
    form: string,
    options?: { readonly fields?: Readonly<Record<string, string>>; readonly button?: string },
  ): Promise<BrowserPage>;
  /** Value of a cookie of localhost. */
  cookie(name: string): string | undefined;
}

export interface HttpBrowserOptions {
  /** A redirect there is not followed: nobody listens, and the test's client reads it from the page's `url`. */
  readonly stopAt?: string;
  /** The function for requests to https: addresses; default: `fetch` of the runtime. */
  readonly fetch?: (url: URL, init: object) => Promise<Response>;
}

const MAX_REDIRECTS = 15;

export function createHttpBrowser({
  stopAt,
  fetch: fetchByTls = fetch,
}: HttpBrowserOptions = {}): HttpBrowser {
  const cookies = new Map<string, Map<string, string>>();

  const load = async (start: URL, form?: URLSearchParams): Promise<BrowserPage> => {
    const visited = [start];
    let body = form;
    for (let url = start; visited.length <= MAX_REDIRECTS;) {
      if (stopAt !== undefined && url.href.startsWith(stopAt))
        return { url, status: 0, text: '', visited, ...(body && { form: body }) };
      const response = await (url.protocol === 'https:' ? fetchByTls : fetch)(url, {
        method: body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: { cookie: cookieHeader(cookies, url) },
        ...(body && { body }),
      });
      keepCookies(cookies, url, response.headers.getSetCookie());
      const location = response.headers.get('location');
      const text = await response.text();
      // a 201 has the address of the new resource (RFC 9110 §15.3.2)
      if (location === null || response.status < 300) return { url, status: response.status, text, visited };
      url = new URL(location, url);
      body = undefined;
      visited.push(url);
    }
    throw new Error(`too many redirects: ${visited.join(' → ')}`);
  };

  return {
    open: (address) => load(new URL(address)),
    async submit(page, formId, { fields = {}, button } = {}) {
      const form = findForm(page.text, formId);
      const values = new URLSearchParams(
        successfulInputs(form.content).filter(([name]) => !Object.hasOwn(fields, name)),
      );
      for (const [name, value] of Object.entries(fields)) values.append(name, value);
      if (button !== undefined)
        for (const [name, value] of buttonValue(page.text, formId, button)) values.append(name, value);
      return load(new URL(form.action, page.url), values);
    },
    cookie: (name) => cookies.get('localhost')?.get(name),
  };
}

function cookieHeader(cookies: ReadonlyMap<string, ReadonlyMap<string, string>>, url: URL): string {
  return [...(cookies.get(url.hostname) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
}

function keepCookies(cookies: Map<string, Map<string, string>>, url: URL, lines: readonly string[]): void {
  const jar = cookies.get(url.hostname) ?? new Map<string, string>();
  cookies.set(url.hostname, jar);
  for (const line of lines) {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const expires = attributes
      .find((attribute) => attribute.toLowerCase().startsWith('expires='))
      ?.slice('expires='.length);
    if (expires !== undefined && new Date(expires) <= new Date()) jar.delete(name);
    else jar.set(name, value);
  }
}

function findForm(html: string, id: string): { action: string; content: string } {
  for (const [, tag = '', content = ''] of html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)) {
    if (attribute(tag, 'id') === id) return { action: attribute(tag, 'action') ?? '', content };
  }
  throw new Error(`no form ${id} in: ${html.slice(0, 2000)}`);
}

function successfulInputs(form: string): [string, string][] {
  return [...form.matchAll(/<input\b([^>]*)>/g)].flatMap(([, tag = '']) => {
    const name = attribute(tag, 'name');
    const canBeOff = /^(checkbox|radio)$/.test(attribute(tag, 'type') ?? '');
    const isOff = canBeOff && !/\schecked\b/.test(tag);
    return name === undefined || isOff ? [] : [[name, attribute(tag, 'value') ?? '']];
  });
}

/** In the form, or elsewhere on the page with a `form` attribute (HTML §4.10.18.3). */
function buttonValue(html: string, formId: string, id: string): [string, string][] {
  const inForm = findForm(html, formId).content;
  const tag = [...html.matchAll(/<button\b([^>]*)>/g)]
    .filter(
      ([whole, found = '']) => (attribute(found, 'form') ?? formId) === formId || inForm.includes(whole),
    )
    .map(([, found = '']) => found)
    .find((found) => attribute(found, 'id') === id);
  if (tag === undefined) throw new Error(`no button ${id} of ${formId} in: ${html}`);
  const name = attribute(tag, 'name');
  return name === undefined ? [] : [[name, attribute(tag, 'value') ?? '']];
}

function attribute(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value
    ?.replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
