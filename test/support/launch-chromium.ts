import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

import { findChromium } from './find-chromium.js';

/** Switches off all calls home, so that a machine without internet sees no failed connections. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Milliseconds until an unused browser is closed; usually another suite has begun to use it by then. */
const PATIENCE = 3_000;
/** Milliseconds for an action of a page: ends what hangs, not what is slow on a busy machine. */
const LONGEST = 500_000;
/** The speed compared with people's; a button that decides takes no click in its first 600 ms. (views/style.css) */
const ANIMATION_RATE = 100;
/** Jest's message to a worker that nothing is left to do; half a second later it is killed. (jest-worker, types) */
const CHILD_MESSAGE_END = 2;

export const executablePath = findChromium();

/** A suite's part of a browser: separate contexts, which share nothing with those of others. */
export type TestBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>;

const debuggers = new WeakMap<Page, Promise<CDPSession>>();
let running: Promise<Browser> | undefined;
let users = 0;
let ending: NodeJS.Timeout | undefined;

export interface ChromiumOptions {
  /** Whether animations take as long as for people. Default: false, which saves most clicks half a second. */
  readonly realAnimations?: boolean;
}

/** A real browser. The suites of a process use it one after another: a start takes longer than most tests. */
export async function launchChromium({ realAnimations = false }: ChromiumOptions = {}): Promise<TestBrowser> {
  if (executablePath === undefined) throw new Error('no Chromium');
  clearTimeout(ending);
  users += 1;
  const browser = await findRunning(executablePath);
  const opened: BrowserContext[] = [];
  const newContext: Browser['newContext'] = async (options) => {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(LONGEST);
    opened.push(context);
    return realAnimations ? context : withFastAnimations(context);
  };
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    async close() {
      await Promise.all(opened.splice(0).map((context) => context.close()));
      users -= 1;
      if (users === 0) ending = setTimeout(() => void closeRunning(), PATIENCE);
    },
  };
}

function withFastAnimations(context: BrowserContext): BrowserContext {
  // a window that a page opens, too
  context.on('page', (page) => void speedUp(page).catch(() => undefined));
  return new Proxy(context, {
    get(target, name) {
      if (name === 'newPage')
        return async () => {
          const page = await target.newPage();
          await speedUp(page);
          return page;
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The debugger of a page, one for all its users: a detached one takes the settings of the others with it. */
export function debuggerOf(page: Page): Promise<CDPSession> {
  const known = debuggers.get(page) ?? page.context().newCDPSession(page);
  debuggers.set(page, known);
  return known;
}

/** By the debugger, as pages without JavaScript have animations as well. */
async function speedUp(page: Page): Promise<void> {
  const session = await debuggerOf(page);
  await session.send('Animation.enable');
  await session.send('Animation.setPlaybackRate', { playbackRate: ANIMATION_RATE });
}

async function findRunning(path: string): Promise<Browser> {
  // a crashed one is replaced
  if (!(await running)?.isConnected()) running = undefined;
  if (running === undefined) {
    running = chromium.launch({ executablePath: path, headless: true, args: FLAGS });
    process.off('message', closeAtEnd).on('message', closeAtEnd);
  }
  return running;
}

function closeAtEnd(message: unknown): void {
  if (!Array.isArray(message) || message[0] !== CHILD_MESSAGE_END) return;
  clearTimeout(ending);
  void closeRunning();
}

async function closeRunning(): Promise<void> {
  const browser = await running;
  if (users > 0) return;
  running = undefined;
  // a listener keeps a worker from ending
  process.off('message', closeAtEnd);
  await browser?.close();
}
