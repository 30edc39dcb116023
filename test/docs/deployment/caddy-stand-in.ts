import { once } from 'node:events';
import {
  Agent,
  get,
  type IncomingMessage,
  request,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

interface Proxied {
  readonly upstreams: readonly string[];
  /** The options of `reverse_proxy`, by their names. */
  readonly options: Readonly<Record<string, string>>;
}

export interface CaddyConfiguration extends Proxied {
  readonly site: string;
  /** Paths that Caddy answers itself, with their status. */
  readonly responses: readonly (readonly [prefix: string, status: number])[];
}

const OPTIONS = ['health_uri', 'health_interval', 'health_timeout', 'health_fails', 'lb_try_duration'];
/** Milliseconds between two tries. (Caddy, reverse_proxy, lb_try_interval) */
const TRY_INTERVAL = 250;

/** A Caddyfile of one site, with the directives that a proxy needs. */
export function readCaddyfile(text: string): CaddyConfiguration {
  const [, site = '', block = ''] = /^(\S+) \{\n([^]*)^\}$/m.exec(text) ?? [];
  const [, upstreams = '', body = ''] = /^\treverse_proxy (.+) \{\n([^]*?)^\t\}$/m.exec(block) ?? [];
  const options = [...body.matchAll(/^\t\t(\w+) (\S+)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const responses = [...block.matchAll(/^\trespond (\S+)\* (\d+)$/gm)];
  const lines = text.trim().split('\n').length;
  if (
    lines !== 2 + 2 + options.length + responses.length ||
    options.some(([name = '']) => !OPTIONS.includes(name))
  )
    throw new Error(`Caddy would read lines of this, and this does not:\n${text}`);
  return {
    site,
    upstreams: upstreams.split(' '),
    options: Object.fromEntries(options) as Record<string, string>,
    responses: responses.map(([, prefix = '', status]) => [prefix, Number(status)]),
  };
}

/** Milliseconds. */
export function durationOf(text: string | undefined): number {
  const [, number, unit] = /^(\d+)(ms|s|m)$/.exec(text ?? '') ?? [];
  if (number === undefined) throw new Error(`${text} is no duration`);
  return Number(number) * (unit === 'ms' ? 1 : unit === 's' ? 1000 : 60_000);
}

/**
 * Does what Caddy does by this configuration, behind TLS: asks each upstream for its health, sends a request to any
 * healthy one, and to another one if it cannot connect. (Caddy, reverse_proxy)
 */
export function caddyStandIn(text: string): {
  readonly listener: RequestListener;
  readonly close: () => void;
} {
  const { upstreams, options, responses } = readCaddyfile(text);
  const agent = new Agent({ keepAlive: true });
  const fails = new Map(upstreams.map((upstream) => [upstream, 0]));
  const checkAll = (): void => {
    for (const upstream of upstreams)
      void isHealthy(`http://${upstream}${options.health_uri}`, durationOf(options.health_timeout)).then(
        (isIt) => fails.set(upstream, isIt ? 0 : (fails.get(upstream) ?? 0) + 1),
      );
  };
  checkAll();
  const timer = setInterval(checkAll, durationOf(options.health_interval));
  const isUp = (upstream: string) => (fails.get(upstream) ?? 0) < Number(options.health_fails);

  /** The response of the first reachable upstream; undefined if none is reachable in time. */
  const ask = async (req: IncomingMessage, body: Buffer): Promise<IncomingMessage | undefined> => {
    const end = performance.now() + durationOf(options.lb_try_duration);
    while (performance.now() < end) {
      const up = upstreams.filter(isUp);
      const upstream = up[Math.floor(Math.random() * up.length)];
      const passed = upstream && (await send(upstream, agent, { req, body }));
      if (passed) return passed;
      await delay(TRY_INTERVAL);
    }
    return undefined;
  };

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const own = responses.find(([prefix]) => req.url?.startsWith(prefix));
    if (own !== undefined) return void res.writeHead(own[1]).end();
    const chunks = (await req.toArray()) as Buffer[];
    const passed = await ask(req, Buffer.concat(chunks)).catch(() => null);
    if (!passed) return void res.writeHead(passed === null ? 502 : 503).end();
    res.writeHead(passed.statusCode ?? 502, passed.rawHeaders);
    passed.pipe(res);
  };

  return {
    listener: (req, res) => void answer(req, res),
    close() {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

/** Undefined if there is no connection. A request without a response is a failure. */
async function send(
  upstream: string,
  agent: Agent,
  { req, body }: { readonly req: IncomingMessage; readonly body: Buffer },
): Promise<IncomingMessage | undefined> {
  const [host = '', port] = upstream.split(':');
  const { 'transfer-encoding': _chunked, connection: _own, ...headers } = req.headers;
  const passed = request({
    ...{ host, port, agent, method: req.method, path: req.url },
    headers: {
      ...headers,
      'x-forwarded-for': req.socket.remoteAddress ?? '',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': req.headers.host ?? '',
      ...(body.length > 0 && { 'content-length': body.length }),
    },
  });
  passed.end(body);
  try {
    return ((await once(passed, 'response')) as [IncomingMessage])[0];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return undefined;
    throw error;
  }
}

function isHealthy(url: string, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false, timeout }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    })
      .on('timeout', () => resolve(false))
      .on('error', () => resolve(false));
  });
}
