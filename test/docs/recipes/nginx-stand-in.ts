import { type IncomingMessage, request, type RequestListener } from 'node:http';

interface Location {
  /** For a regular expression. */
  readonly pattern: RegExp | undefined;
  readonly path: string;
  /** The upstream, with the path that replaces the location's, if any. */
  readonly upstream: URL;
  readonly replacement: string | undefined;
  /** Name of the header, and its value with variables. */
  readonly headers: readonly (readonly [string, string])[];
}

/** The locations of a configuration of nginx, with the directives that a proxy needs. */
function readLocations(configuration: string): Location[] {
  const found = [...configuration.matchAll(/^\s*location (~ )?(\S+) \{([^}]*)\}/gm)];
  return found.map(([, isPattern, path = '', block = '']) => {
    const directives = [...block.matchAll(/^\s*(\w+) (.+);$/gm)].map(([, name, value = '']) => ({
      name,
      value,
    }));
    const unknown = directives.filter(({ name }) => name !== 'proxy_pass' && name !== 'proxy_set_header');
    if (unknown.length > 0) throw new Error(`nginx would read ${JSON.stringify(unknown)}, and this does not`);
    const pass = directives.find(({ name }) => name === 'proxy_pass')?.value ?? '';
    const headers = directives
      .filter(({ name }) => name === 'proxy_set_header')
      .map(({ value }) => value.split(' ') as [string, string]);
    return {
      pattern: isPattern === undefined ? undefined : new RegExp(path),
      path,
      upstream: new URL(pass),
      replacement: /^\w+:\/\/[^/]+(\/.*)$/.exec(pass)?.[1],
      headers,
    };
  });
}

/** A regular expression comes first, then the longest prefix. (nginx, ngx_http_core_module, location) */
function locationFor(locations: readonly Location[], path: string): Location | undefined {
  const prefixes = locations.filter(({ pattern, path: prefix }) => !pattern && path.startsWith(prefix));
  return (
    locations.find(({ pattern }) => pattern?.test(path)) ??
    prefixes.sort((one, other) => other.path.length - one.path.length)[0]
  );
}

function valueOf(value: string, req: IncomingMessage): string {
  const variables: Readonly<Record<string, string>> = {
    $host: (req.headers.host ?? '').replace(/:\d+$/, '').toLowerCase(),
    $scheme: 'https',
    $remote_addr: req.socket.remoteAddress ?? '',
  };
  return value.replace(/\$\w+/g, (name) => {
    const known = variables[name];
    if (known === undefined) throw new Error(`nginx knows ${name}, and this does not`);
    return known;
  });
}

/**
 * Does what nginx does by this configuration, behind TLS: one request to the upstream for each, by HTTP/1.0, with the
 * headers of the client except for those that the configuration sets. (nginx, ngx_http_proxy_module)
 */
export function nginxStandIn(configuration: string): RequestListener {
  const locations = readLocations(configuration);
  if (locations.length === 0) throw new Error('the configuration has no location');
  return (req, res) => {
    const url = req.url ?? '/';
    const location = locationFor(locations, url.split('?')[0] ?? '');
    if (location === undefined) return void res.writeHead(404).end('404 Not Found');
    const { path, upstream, replacement, headers } = location;
    const own = headers.map(([name, value]) => [name, valueOf(value, req)] as const);
    const passed = request(
      {
        host: upstream.hostname,
        port: upstream.port,
        method: req.method,
        path: replacement === undefined ? url : `${replacement}${url.slice(path.length)}`,
        headers: {
          ...req.headers,
          connection: 'close',
          ...Object.fromEntries(own.map(([n, v]) => [n.toLowerCase(), v])),
        },
      },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(res);
      },
    );
    passed.on('error', () => res.writeHead(502).end());
    req.pipe(passed);
  };
}
