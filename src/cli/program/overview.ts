import type { CommandDefinition } from './command.ts'

/** The help of the program: its commands with a phrase for each. */
export function overview(commands: readonly CommandDefinition[]): string {
  const rows = [
    ...commands.map(({ name, summary }) => [name, summary] as const),
    ['help COMMAND', 'prints the options of a command and an example'] as const,
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return `Usage: millrace COMMAND [options]

Commands:
${rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

Options:
  -v, --version  prints the version
  -h, --help     prints this help, or after a command that of the command

Exit codes: 0 success, 1 a command found a defect, 2 invalid call or unreadable file; launch has that of its agent.
`
}
