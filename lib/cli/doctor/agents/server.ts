import {
  AUTHORIZATION_SERVER_METADATA,
  OPENID_CONFIGURATION,
  wellKnownUrlsOf,
} from '../../../shared/protocol/well-known.js';
import { type Finding, finding, type Severity } from '../finding.js';
import { describeAnswer, postForm, requestAsAgent, stringsOf, urlIn } from './agent-requests.js';

export type Metadata = Readonly<Record<string, unknown>>;

/** The authorization server as agents see it. */
export interface AgentsServer {
  readonly findings: readonly Finding[];
  readonly metadata?: Metadata;
}

/** MCP 2026-07-28, Authorization Server Metadata Discovery: in this order. */
function placesOf(issuer: string): readonly string[] {
  const openid = wellKnownUrlsOf(issuer, OPENID_CONFIGURATION);
  const { beforePath } = wellKnownUrlsOf(issuer, AUTHORIZATION_SERVER_METADATA);
  return [...new Set([beforePath, openid.beforePath, openid.belowPath])];
}

export async function checkServer(issuer: string): Promise<AgentsServer> {
  const tried: string[] = [];
  for (const place of placesOf(issuer)) {
    const response = await requestAsAgent(place);
    if (response instanceof Error || response.status !== 200 || response.json === undefined) {
      tried.push(`${place} (${describeAnswer(response)})`);
      continue;
    }
    const findings = [...issuerFindings(issuer, place, response.json), ...metadataFindings(response.json)];
    return {
      findings: [...findings, ...(await rootFindings(issuer, response.json))],
      metadata: response.json,
    };
  }
  return {
    findings: [
      finding('serious', 'agents.server-metadata', {
        what: `the authorization server ${issuer} has no metadata: ${tried.join(', ')}`,
        why: 'Agents find its endpoints there (RFC 8414 §3), and refuse to go on without knowing of PKCE.',
        cure: 'Mount oauth.router, or oauth.wellKnown for an issuer with a path, at the root of its site, before a catch-all.',
      }),
    ],
  };
}

/** RFC 8414 §3.3 */
function issuerFindings(issuer: string, place: string, { issuer: declared }: Metadata): Finding[] {
  if (declared === issuer) return [];
  return [
    finding('serious', 'agents.issuer', {
      what: `the resource names the authorization server ${issuer}, and the metadata at ${place} say ${String(declared)}`,
      why: 'Agents MUST NOT use metadata whose issuer is another, letter by letter: a slash at the end is one (RFC 8414 §3.3).',
      cure: 'Write the same URL as the option issuer of authorizationServer, and of bearerGuard in other processes.',
    }),
  ];
}

interface Rule {
  readonly check: string;
  readonly severity: Severity;
  readonly isRight: (metadata: Metadata) => boolean;
  readonly what: string;
  readonly why: string;
  readonly cure: string;
}

const has = (name: string, value: string) => (metadata: Metadata) =>
  stringsOf(metadata[name]).includes(value);
const hasDocuments = (metadata: Metadata) => metadata.client_id_metadata_document_supported === true;
const hasRegistration = (metadata: Metadata) => urlIn(metadata.registration_endpoint) !== undefined;

const RULES: readonly Rule[] = [
  {
    check: 'agents.endpoints',
    severity: 'serious',
    isRight: (metadata) =>
      urlIn(metadata.authorization_endpoint) !== undefined && urlIn(metadata.token_endpoint) !== undefined,
    what: 'the metadata have no authorization_endpoint or no token_endpoint',
    why: 'Agents have nobody to ask.',
    cure: "Take 'authorization_code' into the option grantTypes.",
  },
  {
    check: 'agents.pkce',
    severity: 'serious',
    isRight: has('code_challenge_methods_supported', 'S256'),
    what: 'the metadata do not offer PKCE with S256 (code_challenge_methods_supported)',
    why: 'Agents MUST refuse to go on (MCP, Authorization Code Protection).',
    cure: 'Serve the metadata of this package unchanged: it is always on.',
  },
  {
    check: 'agents.code',
    severity: 'serious',
    isRight: (metadata) =>
      metadata.grant_types_supported === undefined ||
      has('grant_types_supported', 'authorization_code')(metadata),
    what: 'the authorization code grant is off',
    why: 'Agents ask users by it.',
    cure: "Take 'authorization_code' into the option grantTypes.",
  },
  {
    check: 'agents.refresh',
    severity: 'warning',
    isRight: has('grant_types_supported', 'refresh_token'),
    what: 'there are no refresh tokens',
    why: 'People have to connect their agent again each time its access token ends.',
    cure: "Take 'refresh_token' into the option grantTypes.",
  },
  {
    check: 'agents.public',
    severity: 'serious',
    isRight: has('token_endpoint_auth_methods_supported', 'none'),
    what: 'clients without a secret are not let in (token_endpoint_auth_methods_supported has no none)',
    why: 'Editors, command lines and most agents can keep no secret.',
    cure: 'Serve the metadata of this package unchanged: public clients use PKCE.',
  },
  {
    check: 'agents.registration',
    severity: 'serious',
    isRight: (metadata) => hasDocuments(metadata) || hasRegistration(metadata),
    what: 'agents can neither describe themselves by a document nor register',
    why: 'Only those connect for which somebody has registered a client, and typed its id in.',
    cure: 'Write agents: true.',
  },
  {
    check: 'agents.documents',
    severity: 'warning',
    isRight: (metadata) => hasDocuments(metadata) || !hasRegistration(metadata),
    what: 'client metadata documents are off',
    why: 'The protocol recommends them since 2026-07-28, and some agents have no other way; registration is there for the old ones.',
    cure: 'Write clientIdMetadataDocuments: true, or agents: true.',
  },
  {
    check: 'agents.no-registration',
    severity: 'note',
    isRight: (metadata) => hasRegistration(metadata) || !hasDocuments(metadata),
    what: 'agents cannot register themselves (RFC 7591)',
    why: 'Older ones know no other way.',
    cure: 'Write registration: { open: true }, or agents: true, if you want them.',
  },
  {
    check: 'agents.iss',
    severity: 'warning',
    isRight: ({ authorization_response_iss_parameter_supported: supported }) => supported === true,
    what: 'answers do not name their issuer (authorization_response_iss_parameter_supported)',
    why: 'The protocol is about to ask for it, against codes that are sent to the wrong server (RFC 9207).',
    cure: 'Serve the metadata of this package unchanged: it is always there.',
  },
];

function metadataFindings(metadata: Metadata): Finding[] {
  return RULES.filter(({ isRight }) => !isRight(metadata)).map(({ severity, check, what, why, cure }) =>
    finding(severity, check, { what, why, cure }),
  );
}

/** Agents that read no metadata use the root of the site (MCP 2025-03-26). */
async function rootFindings(issuer: string, metadata: Metadata): Promise<Finding[]> {
  const root = `${new URL(issuer).origin}/token`;
  if (metadata.token_endpoint === root) return [];
  const response = await postForm(root, { grant_type: 'authorization_code', code: 'doctor' });
  if (!(response instanceof Error) && /^(invalid_|unauthorized_client)/.test(String(response.json?.error)))
    return [];
  return [
    finding('note', 'agents.root', {
      what: `${root} answers ${describeAnswer(response)}`,
      why: 'Some agents read no metadata and call /authorize, /token and /register at the root of the site; those fail.',
      cure: 'Write advanced: { rootAliases: true }, or agents: true; for an issuer with a path also app.use(oauth.wellKnown).',
    }),
  ];
}
