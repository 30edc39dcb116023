import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { User } from 'express-authorization-server';
import { rateLimit } from 'express-rate-limit';
import helmet from 'helmet';

import type { GiftCards } from '../photo-site/gift-cards.js';
import { isHttps, type Settings } from '../settings.js';
import { createCallbacks } from './callbacks.js';
import { callbackPath } from './clients.js';
import type { Flow, Step, StepContext } from './flows/flow.js';
import { findFlow, flows } from './flows/index.js';
import { createDiscovery } from './metadata.js';
import { showMessage, showPage } from './pages.js';
import { createRun, type Run } from './runs.js';
import {
  createPlaygroundSessions,
  keepPrivate,
  type PlaygroundSession,
  type PlaygroundSessions,
} from './sessions.js';
import { viewFlow } from './view-model.js';

export interface PlaygroundOptions {
  readonly settings: Settings;
  readonly giftCards: GiftCards;
}

const publicFolder = fileURLToPath(new URL('./public', import.meta.url));
const GIFT_CARD_TTL = 3_600_000;
const MAX_FIELD = 300;

/** The playground, where every grant can be tried step by step, from the client's side. Mounted at `/playground`. */
export function createPlayground({ settings, giftCards }: PlaygroundOptions): Router {
  const { issuer } = settings;
  const sessions = createPlaygroundSessions(isHttps(settings));
  const discover = createDiscovery(issuer);
  const playground = Router();

  playground.use('/assets', express.static(publicFolder, { index: false, redirect: false }));
  playground.use(scripts, keepPrivate);
  playground.use(createCallbacks({ sessions, issuer }));
  if (settings.rateLimits) playground.use(limitRequests(sessions));
  playground.get('/', (_req, res) => {
    showPage(res, 'overview', { title: 'Playground', flows });
  });
  playground.get('/:flow', async (req, res, next) => {
    const flow = findFlow(req.params.flow);
    if (flow === undefined) return next();
    const { runs } = sessions.open(req, res);
    showFlow(req, res, {
      flow,
      redirectUri: issuer + callbackPath,
      run: runs.get(flow.id) ?? createRun(),
      csrfToken: sessions.formTokenOf(req),
      missing: flow.isMissing?.(await discover()),
    });
  });
  playground.post(
    '/:flow/:step',
    express.urlencoded({ extended: false, limit: '8kb', parameterLimit: 20 }),
    async (req, res, next) => {
      const flow = findFlow(req.params.flow);
      if (flow === undefined) return next();
      const session = sessions.find(req);
      if (session === undefined || !sessions.isOwnForm(req))
        return showMessage(
          res,
          403,
          'Please try that again',
          'The playground has forgotten what you did before: it was a while ago, or your browser refuses cookies.',
        );
      if (req.params.step === 'restart') {
        session.runs.delete(flow.id);
        return res.redirect(303, `/playground/${flow.id}`);
      }
      const step = flow.steps.find(({ id }) => id === req.params.step);
      if (step === undefined) return next();
      const run = runFor(session, flow, step);
      const input = fieldsOf(req.body);
      run.typed.set(step.id, withoutSecrets(step, input, run));
      const context = async () => ({
        run,
        input,
        server: await discover(),
        issuer,
        albums: { url: settings.albumUrl, resource: settings.resources.albums },
        step: step.id,
        cookies: req.headers.cookie ?? '',
        giveGiftCard: req.user && giveCardOf(giftCards, (req.user as User).id),
      });
      try {
        const redirectTo = await performStep(step, run, context);
        res.redirect(303, redirectTo ?? `/playground/${flow.id}#${step.id}`);
      } finally {
        sessions.keep(session);
      }
    },
  );
  return playground;
}

/** The playground's pages have scripts; the rest of the site has none. */
const scripts: RequestHandler = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

/** Each step costs the photo site some requests, and each new visitor takes some memory. */
function limitRequests(sessions: PlaygroundSessions): RequestHandler {
  return rateLimit({
    windowMs: 60_000,
    limit: 60,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (req) => req.method === 'GET' && sessions.find(req) !== undefined,
    handler: (_req, res) =>
      showMessage(
        res,
        429,
        'A little slower, please',
        'You have done more than sixty things in a minute. Wait a moment and go on.',
      ),
  });
}

/** Resolves to the browser's next address, if it leaves the page. A step out of order does nothing. */
async function performStep(
  step: Step,
  run: Run,
  context: () => Promise<StepContext>,
): Promise<string | undefined> {
  if (step.waitsFor(run.values) !== undefined) return undefined;
  run.latest = run.count + 1;
  const { redirectTo, verdict } = (await step.perform(await context())) ?? {};
  if (verdict !== undefined) run.verdicts.set(step.id, verdict);
  return redirectTo?.toString();
}

function runFor(session: PlaygroundSession, flow: Flow, { isFirst = false }: Step): Run {
  const existing = session.runs.get(flow.id);
  if (existing !== undefined && !isFirst) return existing;
  const run = createRun();
  session.runs.set(flow.id, run);
  return run;
}

function showFlow(
  req: Request,
  res: Response,
  {
    flow,
    run,
    ...page
  }: { flow: Flow; run: Run; csrfToken: string; missing: string | undefined; redirectUri: string },
): void {
  const displayed = Number(req.query.show);
  showPage(res, 'flow', {
    title: `${flow.name} · Playground`,
    flow,
    flows,
    ...page,
    ...viewFlow(flow, run, { displayed, given: fieldsOf(req.query) }),
  });
}

function giveCardOf(giftCards: GiftCards, userId: string) {
  return async () => {
    const code = `CARD-${randomBytes(12).toString('base64url')}`;
    await giftCards.give(code, userId, new Date(Date.now() + GIFT_CARD_TTL));
    return code;
  };
}

/** Values for fields and links, without secrets, whatever field they were typed into. */
function withoutSecrets(
  { fields = [] }: Step,
  input: Readonly<Record<string, string>>,
  { secrets }: Run,
): Record<string, string> {
  const stored = fields.flatMap(({ name, type }): [string, string][] => {
    const value = input[name];
    if (value === undefined || type === 'password') return [];
    const parts = value.split('&').filter((part) => !secrets.isSecret(part.split('=', 1)[0]?.trim() ?? ''));
    return [[name, parts.join('&')]];
  });
  return Object.fromEntries(stored);
}

function fieldsOf(body: unknown): Record<string, string> {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    fields
      .filter((field): field is [string, string] => typeof field[1] === 'string')
      .map(([name, value]) => [name, value.slice(0, MAX_FIELD)]),
  );
}
