import { bold, type HelpStyle } from '../output/terminal.ts'
import type { CommandDefinition } from './command.ts'

/** The help of the program: its commands with a phrase for each. No line is longer than 80 columns. */
export function overview(commands: readonly CommandDefinition[], style: HelpStyle): string {
  const rows = [
    ...commands.map(({ name, summary }) => [name, summary] as const),
    ['help COMMAND', 'prints the options of a command and an example'] as const,
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const heading = (text: string): string => bold(text, style)
  return `${heading('Usage:')} millrace COMMAND [options]

${heading('Commands:')}
${rows.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`).join('\n')}

${heading('Options:')}
  -v, --version  prints the version
  -h, --help     prints this help, or after a command its help

${heading('Exit codes:')}
  0  success
  1  a command found errors
  2  invalid call or unreadable file
  launch has the exit code of its agent
`
}
