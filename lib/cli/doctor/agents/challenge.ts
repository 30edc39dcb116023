import { type Finding, finding } from '../finding.js';
import {
  type AgentAnswer,
  type AgentResponse,
  describeAnswer,
  postJson,
  requestAsAgent,
} from './agent-requests.js';

/** What an agent learns from its first call, which has no token. */
export interface Challenge {
  readonly findings: readonly Finding[];
  /** Where the metadata of the resource is, if the challenge says so. */
  readonly resourceMetadata?: string;
  readonly scope?: string;
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'doctor', version: '1' } },
};
/** RFC 2606 §2: nobody has it */
const FOREIGN_ORIGIN = 'https://doctor.invalid';
const GUARD =
  "Put the guard before the endpoint: app.use('/mcp', oauth.mcp({ … })) as one of the first lines of the app.";

/** What keeps an agent from learning that it needs a token; the first one that fits. */
const OBSTACLES: readonly {
  readonly check: string;
  readonly fits: (answer: AgentAnswer) => boolean;
  readonly why: string;
  readonly cure: string;
}[] = [
  {
    check: 'agents.redirect',
    fits: ({ status }) => status >= 300 && status < 400,
    why: 'Agents do not follow a redirect with their message: a router that wants a slash at the end, or a redirect to the login, keeps all of them out.',
    cure: `Let the endpoint answer at exactly this URL, with and without a slash. ${GUARD}`,
  },
  {
    check: 'agents.route',
    fits: ({ status }) => status === 404 || status === 405,
    why: 'There is no endpoint that takes messages by POST.',
    cure: 'Is this the URL that users are told, letter by letter? Mount the endpoint there, and its router before a catch-all.',
  },
  {
    check: 'agents.open',
    fits: ({ status }) => status < 300,
    why: 'Whoever knows the URL is let in without a token, and no agent asks the user.',
    cure: GUARD,
  },
  {
    check: 'agents.refused',
    fits: ({ status }) => status !== 401,
    why: 'Something else than the guard answers: a CSRF check, a limit, a list of origins, or a body parser. Agents begin only after 401.',
    cure: GUARD,
  },
];

export async function checkChallenge(url: string): Promise<Challenge> {
  const response = await postJson(url, INITIALIZE);
  if (response instanceof Error)
    return {
      findings: [
        finding('serious', 'agents.silent', {
          what: `${url} gives ${describeAnswer(response)}`,
          why: 'No agent can connect. Those of Claude and ChatGPT ask from the internet, not from your network.',
          cure: 'Is the site running, and reached from outside by this name, with a certificate that others trust?',
        }),
      ],
    };
  const obstacle = OBSTACLES.find(({ fits }) => fits(response));
  if (obstacle !== undefined) {
    const { check, why, cure } = obstacle;
    const what = `${url} answers a call without a token by ${describeAnswer(response)}, not by 401`;
    return { findings: [finding('serious', check, { what, why, cure })] };
  }
  return readChallenge(url, response);
}

async function readChallenge(url: string, { headers }: AgentAnswer): Promise<Challenge> {
  const header = headers.get('www-authenticate') ?? '';
  const attribute = (name: string) => new RegExp(`[ ,]${name}="([^"]*)"`, 'i').exec(header)?.[1];
  const resourceMetadata = attribute('resource_metadata');
  const scope = attribute('scope');
  const findings: Finding[] = [];
  if (!/^\s*(bearer|dpop)\b/i.test(header))
    findings.push(
      finding('serious', 'agents.challenge', {
        what: `${url} answers 401 without a challenge of OAuth (WWW-Authenticate: ${header || 'none'})`,
        why: 'Agents read there that a token is needed, and where it comes from (RFC 6750 §3); many give up without.',
        cure: `${GUARD} If a proxy or an error handler of yours takes the header away, let it stay.`,
      }),
    );
  else if (resourceMetadata === undefined)
    findings.push(
      finding('warning', 'agents.challenge-metadata', {
        what: `the challenge of ${url} has no resource_metadata`,
        why: 'Agents have to guess where the metadata of the resource are (RFC 9728 §5.1).',
        cure: GUARD,
      }),
    );
  findings.push(...(await checkPages(url)));
  return {
    findings,
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scope !== undefined && { scope }),
  };
}

/** For agents in browsers, such as inspectors. */
async function checkPages(url: string): Promise<Finding[]> {
  const preflight = await requestAsAgent(url, {
    method: 'OPTIONS',
    headers: {
      Origin: FOREIGN_ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization,content-type,mcp-protocol-version',
    },
  });
  const refused = await postJson(url, INITIALIZE, { Origin: FOREIGN_ORIGIN });
  if (isOpenTo(preflight) && isOpenTo(refused) && exposesChallenge(refused)) return [];
  return [
    finding('note', 'agents.pages', {
      what: `pages of other sites cannot call ${url}, or cannot read its challenge`,
      why: 'Agents that run in a browser, such as inspectors, do not connect. Others do.',
      cure: 'oauth.mcp allows it. A cors() of yours before it has to let all origins in, and expose WWW-Authenticate and Mcp-Session-Id.',
    }),
  ];
}

function isOpenTo(response: AgentResponse): boolean {
  if (response instanceof Error) return false;
  return ['*', FOREIGN_ORIGIN].includes(response.headers.get('access-control-allow-origin') ?? '');
}

function exposesChallenge(response: AgentResponse): boolean {
  return (
    !(response instanceof Error) &&
    /www-authenticate|\*/i.test(response.headers.get('access-control-expose-headers') ?? '')
  );
}
