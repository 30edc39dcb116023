import { Argument, type Command, type Option } from 'commander';

import type { Io } from './io.js';
import { print } from './output.js';

const NAME = 'express-authorization-server';
const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** What can be written at one place, for instance after `clients create`. */
interface Place {
  /** `''`, `' clients'`, `' clients create'`. */
  readonly at: string;
  readonly commands: readonly Command[];
  readonly options: readonly Option[];
}

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('writes a script by which a shell completes commands and options with the tab key')
    .addArgument(new Argument('<shell>', 'whose script').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
Where it goes:
  bash   ${NAME} completion bash > ~/.local/share/bash-completion/completions/${NAME}
  zsh    ${NAME} completion zsh > ~/.zsh/completions/_${NAME}   (a folder of your fpath)
  fish   ${NAME} completion fish > ~/.config/fish/completions/${NAME}.fish`,
    )
    .action((shell: keyof typeof SHELLS) => print(io, SHELLS[shell](placesOf(program))));
}

/** Reads the commands themselves, so that a new one needs no change here. */
function placesOf(command: Command, at = ''): Place[] {
  const { commands, options } = command;
  return [
    { at, commands, options },
    ...commands.flatMap((inner) => placesOf(inner, `${at} ${inner.name()}`)),
  ];
}

function termsOf({ commands, options }: Place): string[] {
  return [
    ...commands.map((command) => command.name()),
    ...options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
}

/** The values that may follow an option, with a pattern of what comes before them. */
function choicesOf(
  places: readonly Place[],
): { readonly pattern: string; readonly values: readonly string[] }[] {
  return places.flatMap(({ at, options }) =>
    options.flatMap(({ long, argChoices }) =>
      typeof long !== 'string' || argChoices === undefined
        ? []
        : [{ pattern: `${at}|${long}`, values: argChoices }],
    ),
  );
}

const ARGUMENTS = { at: ' completion', values: Object.keys(SHELLS) };

/** The cases for bash and zsh: what may come at a place after a word. */
function casesOf(places: readonly Place[]): string[] {
  return [
    ...choicesOf(places).map(({ pattern, values }) => `    '${pattern}') found='${values.join(' ')}' ;;`),
    `    '${ARGUMENTS.at}|completion') found='${ARGUMENTS.values.join(' ')}' ;;`,
    ...places.map((place) => `    '${place.at}|'*) found='${termsOf(place).join(' ')}' ;;`),
  ];
}

function knownPlaces(places: readonly Place[]): string {
  return places.flatMap(({ at }) => (at === '' ? [] : [`'${at}'`])).join('|');
}

function bashScript(places: readonly Place[]): string {
  return `# bash completion for ${NAME}
_express_authorization_server() {
  local at='' found='' word
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${knownPlaces(places)}) at="$at $word" ;; esac
  done
  case "$at|$before" in
${casesOf(places).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -F _express_authorization_server ${NAME}`;
}

function zshScript(places: readonly Place[]): string {
  return `#compdef ${NAME}
_express_authorization_server() {
  local at='' found='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in ${knownPlaces(places)}) at="$at $word" ;; esac
  done
  case "$at|\${words[CURRENT-1]}" in
${casesOf(places).join('\n')}
  esac
  compadd -- \${=found}
}
if [ "$funcstack[1]" = "_${NAME}" ]; then
  _express_authorization_server "$@"
else
  compdef _express_authorization_server ${NAME}
fi`;
}

function fishScript(places: readonly Place[]): string {
  const complete = `complete -c ${NAME}`;
  const lines = places.flatMap(({ at, commands, options }) => {
    const here = `${complete} -n "__express_authorization_server_at '${at}'"`;
    return [
      ...commands.map((command) => `${here} -a ${command.name()} -d ${quoted(command.description())}`),
      ...options.map(
        ({ long, description, required, argChoices }) =>
          `${here} -l ${long?.slice(2) ?? ''}${argChoices ? ` -x -a '${argChoices.join(' ')}'` : required ? ' -r' : ''} -d ${quoted(description)}`,
      ),
    ];
  });
  return `# fish completion for ${NAME}
function __express_authorization_server_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    if contains -- "$at $word" ${knownPlaces(places).replaceAll('|', ' ')}
      set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
${complete} -f
${lines.join('\n')}
${complete} -n "__express_authorization_server_at '${ARGUMENTS.at}'" -a '${ARGUMENTS.values.join(' ')}'`;
}

/** Quotes for fish: within single quotes, a backslash and a quote are escaped. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
