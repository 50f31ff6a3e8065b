/** A cell of a table: a pipe would end it, a line break would end the row. */
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export const code = (text: string): string => `\`${text}\``

export const codes = (texts: readonly string[]): string => texts.map(code).join(', ')

export const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
