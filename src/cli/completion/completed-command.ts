import type { CommandDefinition } from '../program/command.ts'

/** The words that may follow; a path is completed by the shell. */
export interface CompletedValue {
  readonly name: string
  readonly words: readonly string[]
  readonly path: 'file' | 'folder' | null
}

export interface CompletedOption {
  readonly name: string
  readonly help: string
  /** null: a switch. */
  readonly value: CompletedValue | null
}

/** The parts of a command that a shell completes. */
export interface CompletedCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletedOption[]
  /** null: it has no arguments. */
  readonly args: CompletedValue | null
}

const HELP: CompletedOption = { name: 'help', help: 'prints the help of the command', value: null }

export async function toCompleted({ name, summary, options, args }: CommandDefinition): Promise<CompletedCommand> {
  const all = Object.entries(options).map(async ([long, { help, value, choices, path = null }]) => ({
    name: long,
    help: firstPhrase(help),
    value: value === undefined ? null : { name: value, words: (await choices?.()) ?? [], path },
  }))
  const words = (await args?.choices?.()) ?? []
  return {
    name,
    summary,
    options: [...(await Promise.all(all)), HELP],
    args: args === undefined || args.usage === '' ? null : { name: args.usage, words, path: args.path ?? null },
  }
}

/** The phrase before the default, because a shell has one line for each option. */
const firstPhrase = (help: string): string => help.split(/[;.:] /, 1)[0] ?? help
