import type { CompletedCommand, CompletedValue } from './completed-command.ts'

/** The completion of fish 3 and newer. */
export function fishCompletion(commands: readonly CompletedCommand[]): string {
  const first = '-n __fish_use_subcommand'
  const all = [...commands, { name: 'help', summary: 'prints the help of a command' }]
  const lines = [
    '# Completion of millrace for fish: millrace completion fish > ~/.config/fish/completions/millrace.fish',
    'complete -c millrace -f',
    ...all.map(({ name, summary }) => `complete -c millrace ${first} -a ${name} -d ${quoted(summary)}`),
    `complete -c millrace ${first} -l help -s h -d 'prints the help'`,
    `complete -c millrace ${first} -l version -s v -d 'prints the version'`,
    `complete -c millrace -n '__fish_seen_subcommand_from help' -a '${commands.map(({ name }) => name).join(' ')}'`,
    ...commands.flatMap(({ name, options, args }) => {
      const inside = `complete -c millrace -n '__fish_seen_subcommand_from ${name}'`
      return [
        ...options.map(({ name: long, help, value }) => `${inside} -l ${long}${flagsOf(value)} -d ${quoted(help)}`),
        ...(args === null ? [] : argumentLines(inside, args)),
      ]
    }),
  ]
  return `${lines.join('\n')}\n`
}

function flagsOf(value: CompletedValue | null): string {
  if (value === null) return ''
  if (value.words.length > 0) return ` -x -a '${value.words.join(' ')}'`
  if (value.path === 'folder') return " -x -a '(__fish_complete_directories)'"
  return value.path === 'file' ? ' -r -F' : ' -x'
}

function argumentLines(inside: string, { words, path }: CompletedValue): readonly string[] {
  if (words.length > 0) return [`${inside} -a '${words.join(' ')}'`]
  return path === null ? [] : [`${inside} ${path === 'file' ? '-F' : "-a '(__fish_complete_directories)'"}`]
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
