import type { CompletedCommand, CompletedValue } from './completed-command.ts'

/** The completion of bash 3.2 and newer. Names of files come from the shell itself, where no word fits. */
export function bashCompletion(commands: readonly CompletedCommand[]): string {
  const names = [...commands.map(({ name }) => name), 'help'].join(' ')
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ name: long, value }) =>
      value === null ? [] : [`    '${name} --${long}') words='${wordsOf(value)}' ;;`],
    ),
  )
  const rest = commands.map(
    ({ name, options, args }) =>
      `    ${name}) options='${options.map(({ name: long }) => `--${long}`).join(' ')}' words='${args === null ? '' : wordsOf(args)}' ;;`,
  )
  return `# Completion of millrace for bash: source <(millrace completion bash)
_millrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command="\${COMP_WORDS[1]-}"
  local words='' options=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${names} --help --version' -- "$current"))
    return
  fi
  # bash takes an equals sign for a word of its own.
  if [ "$current" = '=' ]; then
    current=''
  elif [ "$previous" = '=' ]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  case "$command $previous" in
${values.join('\n')}
    *) words='-' ;;
  esac
  if [ "$words" != '-' ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    return
  fi
  case "$command" in
    help) words='${commands.map(({ name }) => name).join(' ')}' ;;
${rest.join('\n')}
    *) words='' ;;
  esac
  case "$current" in
    -*) words="$options" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _millrace millrace
`
}

const wordsOf = ({ words }: CompletedValue): string => words.join(' ')
