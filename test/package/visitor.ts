import request, { type Response } from 'supertest';

/** A page after all redirects, as a browser without JavaScript gets it. */
export interface VisitedPage {
  readonly url: URL;
  readonly status: number;
  readonly text: string;
}

/** A person with a browser who visits several sites by their URLs. */
export interface Visitor {
  open(url: URL | string): Promise<VisitedPage>;
  /** Fills in the page's form of this id (or the only one) and sends it. */
  submit(
    page: VisitedPage,
    fields?: Readonly<Record<string, string | readonly string[]>>,
    formId?: string,
  ): Promise<VisitedPage>;
}

const MAX_REDIRECTS = 10;

export interface VisitorOptions {
  /** Redirects to an address that begins with this are not followed: no client responds there. */
  readonly stopAt?: string;
  /** The trusted certificate of a site with TLS. */
  readonly ca?: string;
  /** Sent with each request. Default: none, like a program that accepts anything. */
  readonly headers?: Readonly<Record<string, string>>;
}

export function createVisitor({ stopAt, ca, headers = {} }: VisitorOptions = {}): Visitor {
  const agents = new Map<string, ReturnType<typeof request.agent>>();
  const agentOf = ({ origin }: URL) => {
    const agent = agents.get(origin) ?? request.agent(origin, ca === undefined ? {} : { ca });
    agents.set(origin, agent);
    return agent;
  };
  const get = (url: URL): PromiseLike<Response> =>
    agentOf(url).get(`${url.pathname}${url.search}`).set(headers);

  const follow = async (first: URL, answer: Response): Promise<VisitedPage> => {
    let [url, response] = [first, answer];
    for (let hops = 0; response.headers.location !== undefined && response.status >= 300; hops += 1) {
      if (hops === MAX_REDIRECTS)
        throw new Error(`${first.href} redirects without end, at last to ${url.href}`);
      url = new URL(response.headers.location, url);
      if (stopAt !== undefined && url.href.startsWith(stopAt)) break;
      response = await get(url);
    }
    return { url, status: response.status, text: response.text };
  };

  return {
    async open(address) {
      const url = new URL(address);
      return follow(url, await get(url));
    },
    async submit(page, fields = {}, formId) {
      const form = formOf(page, formId);
      const url = new URL(form.action, page.url);
      return follow(
        url,
        await agentOf(url)
          .post(`${url.pathname}${url.search}`)
          .set(headers)
          .type('form')
          .send({ ...form.fields, ...fields }),
      );
    },
  };
}

/** The fields that a browser would send for an untouched form. */
function formOf({ text, url, status }: VisitedPage, formId: string | undefined) {
  const forms = text.match(/<form\b[\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((candidate) => formId === undefined || attribute(candidate, 'id') === formId);
  if (form === undefined)
    throw new Error(`no form ${formId ?? ''} at ${url.href} (${status}): ${text.slice(0, 1000)}`);
  const inputs = (form.match(/<input\b[^>]*>/g) ?? []).filter(
    (input) => attribute(input, 'type') === 'hidden' || /\schecked\b/.test(input),
  );
  const fields: Record<string, string | string[]> = {};
  for (const input of inputs) {
    const name = attribute(input, 'name');
    const before = fields[name];
    fields[name] =
      before === undefined ? attribute(input, 'value') : [before, attribute(input, 'value')].flat();
  }
  return { action: attribute(form, 'action') || url.href, fields };
}

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(`^<[^>]*\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value
    .replaceAll('&#34;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
