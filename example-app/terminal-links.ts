type Environment = Readonly<Record<string, string | undefined>>;

/** Terminals that say who they are, and are known to have links (OSC 8). */
const PROGRAMS = ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby'];
const TERMS = ['xterm-kitty', 'xterm-ghostty', 'alacritty', 'foot', 'foot-extra', 'contour'];
/** Of VTE (GNOME Terminal and its kin): 0.50 is the first that has them without a crash. */
const FIRST_VTE = 5002;

/** Whether what is written there is read by a terminal that has links. In doubt not: elsewhere they are rubbish. */
export function hasLinks({ isTTY }: { readonly isTTY?: boolean }, environment: Environment): boolean {
  const {
    TERM = '',
    TERM_PROGRAM = '',
    VTE_VERSION = '0',
    WT_SESSION,
    KONSOLE_VERSION,
    CI,
    TMUX,
    STY,
  } = environment;
  if (isTTY !== true || TERM === 'dumb' || CI || TMUX || STY) return false;
  return (
    PROGRAMS.includes(TERM_PROGRAM) ||
    TERMS.includes(TERM) ||
    Number(VTE_VERSION) >= FIRST_VTE ||
    WT_SESSION !== undefined ||
    KONSOLE_VERSION !== undefined
  );
}

/** A link on a terminal that has them: the address is what is read, and what is opened. */
export function terminalLink(url: string): string {
  return `\u001b]8;;${url}\u001b\\${url}\u001b]8;;\u001b\\`;
}
