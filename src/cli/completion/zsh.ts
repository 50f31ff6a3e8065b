import type { CompletedCommand, CompletedOption, CompletedValue } from './completed-command.ts'

/** The completion of zsh, sourced or as a file `_millrace` in a folder of `fpath`. */
export function zshCompletion(commands: readonly CompletedCommand[]): string {
  const names = [...commands, { name: 'help', summary: 'prints the help of a command' }]
  const cases = commands.map(({ name, options, args }) => {
    const specs = [
      ...options.map(optionSpec),
      ...(args === null ? [] : [`'*:${escaped(args.name)}:${actionOf(args)}'`]),
    ]
    return `    ${name})\n      _arguments ${specs.join(' \\\n        ')}\n      ;;`
  })
  return `#compdef millrace
# Completion of millrace for zsh: source <(millrace completion zsh)
_millrace() {
  local -a commands
  commands=(
${names.map(({ name, summary }) => `    '${name}:${escaped(summary)}'`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands 'command' commands
    _arguments '--help[prints the help]' '--version[prints the version]'
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
    help) _describe -t commands 'command' commands ;;
${cases.join('\n')}
  esac
}
if [ "\${funcstack[1]}" = '_millrace' ]; then
  _millrace "$@"
else
  compdef _millrace millrace
fi
`
}

const optionSpec = ({ name, help, value }: CompletedOption): string =>
  value === null
    ? `'--${name}[${escaped(help)}]'`
    : `'--${name}=[${escaped(help)}]:${escaped(value.name)}:${actionOf(value)}'`

function actionOf({ words, path }: CompletedValue): string {
  if (words.length > 0) return `(${words.join(' ')})`
  return path === null ? ' ' : path === 'file' ? '_files' : '_files -/'
}

/** In a specification, brackets and colons separate its parts; the shell ends it at an apostrophe. */
const escaped = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&').replaceAll("'", "'\\''")
