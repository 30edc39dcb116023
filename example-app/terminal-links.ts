type Environment = Readonly<Record<string, string | undefined>>;

/** Identifiable terminals that support links (OSC 8). */
const PROGRAMS = ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby'];
const TERMS = ['xterm-kitty', 'xterm-ghostty', 'alacritty', 'foot', 'foot-extra', 'contour'];
/** VTE (GNOME Terminal and others): 0.50 is the first version that supports links without a crash. */
const FIRST_VTE = 5002;

/** Whether the output is a terminal that supports links. If unknown, false: elsewhere links look like garbage. */
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

/** A link for a terminal that supports links: its text is its address. */
export function terminalLink(url: string): string {
  return `\u001b]8;;${url}\u001b\\${url}\u001b]8;;\u001b\\`;
}
