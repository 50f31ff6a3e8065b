import type { Choices, CommandDefinition } from './command.ts'

/** A section of a help; `text` ends with a line break. */
export interface HelpSection {
  readonly heading: string
  readonly text: string
}

/** The values of the options and arguments of a command, one section for each name of a value. */
export async function listedChoices(
  { options, args }: CommandDefinition,
  width: number,
): Promise<readonly HelpSection[]> {
  const all = new Map<string, Choices>()
  if (args?.choices !== undefined) all.set(args.usage, args.choices)
  for (const { value, choices } of Object.values(options)) {
    if (value !== undefined && choices !== undefined) all.set(value, choices)
  }
  return Promise.all(
    [...all].map(async ([name, choices]) => ({ heading: `${name}:`, text: wrap(await choices(), width) })),
  )
}

function wrap(names: readonly string[], width: number): string {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length + ',  '.length > width - 1) lines.push(`  ${name}`)
    else lines[lines.length - 1] = `${last}, ${name}`
  }
  return lines.map((line) => `${line}\n`).join('')
}
